"use strict";
// The little that htmx does not do: uploads with progress, the fields of a form of hierarchy,
// and the number next to a slider.
document.addEventListener("submit", (event) => {
  if (event.target.id !== "upload") return;
  event.preventDefault();
  const file = document.getElementById("file").files[0];
  const says = document.getElementById("upload-says");
  const progress = document.getElementById("progress");
  if (!file) return;
  if (file.size > Number(event.target.dataset.limit)) {
    says.textContent = "This file is larger than an upload may be. Copy it into the folder instead.";
    return;
  }
  const request = new XMLHttpRequest();
  request.open("PUT", "/files/" + encodeURIComponent(file.name));
  request.setRequestHeader("Accept", "application/json");
  request.upload.addEventListener("progress", (sent) => {
    progress.hidden = false;
    progress.value = sent.lengthComputable ? (100 * sent.loaded) / sent.total : 0;
  });
  request.addEventListener("load", () => {
    if (request.status === 201) {
      const name = JSON.parse(request.responseText).name;
      window.location.href = /\.ya?ml$/i.test(name) ? "/" : "/files/" + encodeURIComponent(name);
      return;
    }
    progress.hidden = true;
    const page = new DOMParser().parseFromString(request.responseText, "text/html");
    const wrong = page.querySelector(".problems li");
    says.textContent = wrong ? wrong.textContent : "The upload did not work.";
  });
  request.addEventListener("error", () => {
    progress.hidden = true;
    says.textContent = "The upload was cut off. Is the studio still running?";
  });
  request.send(file);
});

document.addEventListener("change", (event) => {
  if (event.target.name !== "builder") return;
  for (const shape of document.querySelectorAll(".shape")) {
    shape.hidden = shape.dataset.form !== event.target.value;
  }
});

document.addEventListener("input", (event) => {
  if (event.target.type !== "range") return;
  event.target.closest(".field").querySelector("output").value = event.target.value;
});
