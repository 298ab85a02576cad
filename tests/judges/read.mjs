// Reads the HTML files of a folder as html-validate and caniemail do. Prints JSON:
// {file: {form: [sentence], clients: {feature: [mail program that lacks it]}}}.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { caniemail } from "caniemail";
import { HtmlValidate, StaticConfigLoader } from "html-validate";

// Every rule that html-validate recommends holds for a letter but these two.
const rules = {
  // Many mail programs drop style sheets and keep styles within tags.
  "no-inline-style": "off",
  // Outlook on Windows takes widths, alignment and room in tables from these attributes alone.
  "no-deprecated-attr": "off",
};
const validator = new HtmlValidate(
  new StaticConfigLoader({ root: true, extends: ["html-validate:recommended"], elements: ["html5"], rules }),
);

const folder = process.argv[2];
const found = {};
for (const file of readdirSync(folder).filter((name) => name.endsWith(".html")).sort()) {
  const html = readFileSync(join(folder, file), "utf-8");
  const report = await validator.validateString(html, file);
  const form = report.results.flatMap(({ messages }) =>
    messages.map((one) => `${one.line}:${one.column} ${one.ruleId}: ${one.message}`),
  );
  const lacking = {};
  for (const [client, issues] of caniemail({ clients: ["*"], html }).issues.errors)
    for (const { title } of issues) (lacking[title] ??= new Set()).add(client);
  const named = Object.entries(lacking).map(([title, clients]) => [title, [...clients].sort()]);
  found[file] = { form, clients: Object.fromEntries(named) };
}
console.log(JSON.stringify(found));
