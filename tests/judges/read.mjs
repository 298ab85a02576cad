// Reads the HTML files of a folder as html-validate and caniemail do. Prints JSON:
// {file: {form: [sentence], clients: {feature: [mail program that lacks it]}}}.
// Arguments: the folder, and "pages" where they are no letters: then `clients` is empty.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { caniemail } from "caniemail";
import { HtmlValidate, StaticConfigLoader } from "html-validate";

const [folder, kind = "letters"] = process.argv.slice(2);
// Every rule that html-validate recommends holds for a letter but these two.
const FOR_LETTERS = {
  // Many mail programs drop style sheets and keep styles within tags.
  "no-inline-style": "off",
  // Outlook on Windows takes widths, alignment and room in tables from these attributes alone.
  "no-deprecated-attr": "off",
};
// And for a page all but these, which are about how a source looks.
const FOR_PAGES = {
  "doctype-style": "off",
  "no-implicit-button-type": "off", // a button of ours sends its form, as buttons do
  "no-implicit-input-type": "off", // and an input without a type is for text
  "no-trailing-whitespace": "off",
  "valid-id": ["error", { relaxed: true }], // rules have dots in their numbers, as HTML allows
  "form-dup-name": ["error", { shared: ["radio", "checkbox", "submit"] }], // several may be ticked
};
const rules = kind === "letters" ? FOR_LETTERS : FOR_PAGES;
const validator = new HtmlValidate(
  new StaticConfigLoader({ root: true, extends: ["html-validate:recommended"], elements: ["html5"], rules }),
);

const found = {};
for (const file of readdirSync(folder).filter((name) => name.endsWith(".html")).sort()) {
  const html = readFileSync(join(folder, file), "utf-8");
  const report = await validator.validateString(html, file);
  const form = report.results.flatMap(({ messages }) =>
    messages.map((one) => `${one.line}:${one.column} ${one.ruleId}: ${one.message}`),
  );
  const lacking = {};
  const judged = kind === "letters" ? caniemail({ clients: ["*"], html }).issues.errors : [];
  for (const [client, issues] of judged)
    for (const { title } of issues) (lacking[title] ??= new Set()).add(client);
  const named = Object.entries(lacking).map(([title, clients]) => [title, [...clients].sort()]);
  found[file] = { form, clients: Object.fromEntries(named) };
}
console.log(JSON.stringify(found));
