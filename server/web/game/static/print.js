// The button that prints the sheet; without script the browser's own does.
const button = document.getElementById("print");
button.hidden = false;
button.addEventListener("click", () => window.print());
