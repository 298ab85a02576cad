// Where nobody has chosen a time zone yet, that of the browser is chosen; it counts once the form is sent.
const choice = document.querySelector("#zone");
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (choice && choice.value === "UTC" && [...choice.options].some((one) => one.value === here) && here !== "UTC") {
  choice.value = here;
  document.querySelector("#zone-note").hidden = true;
  document.querySelector("#zone-here").hidden = false;
}
