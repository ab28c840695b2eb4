"use strict";
// The little that htmx does not do: uploads with progress, the fields of a form of hierarchy,
// thresholds that are dragged, questions before something is removed, and a studio that was ended.
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
      if (event.target.dataset.import) {
        const taken = document.getElementById("hierarchy");
        taken.querySelector('[name="builder"][value="file"]').checked = true;
        taken.querySelector('[name="file"]').add(new Option(name, name, true, true));
        taken.submit();
        return;
      }
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

// Two handles on one track: they stay in the order that the model asks for, and the picture follows.
document.addEventListener("input", (event) => {
  const moved = event.target;
  if (moved.type !== "range") return;
  const form = moved.closest("form");
  const at = (key, level) => {
    const other = form.querySelector("#" + key + "-" + level);
    return other ? Number(other.value) : null;
  };
  const [key, text] = moved.id.split("-");
  const level = Number(text);
  const least = key === "a" ? [at("b", level), at("a", level + 1)] : [at("b", level - 1)];
  const most = key === "a" ? [at("a", level - 1)] : [at("a", level), at("b", level + 1)];
  const held = (limits) => limits.filter((limit) => limit !== null);
  moved.value = Math.min(Math.max(Number(moved.value), ...held(least)), ...held(most), 1);
  const value = Number(moved.value);
  form.querySelector('output[for="' + moved.id + '"]').value = value.toFixed(2);
  for (const line of document.querySelectorAll('[data-of="' + moved.id + '"]')) {
    line.setAttribute("x1", 100 * value + "%");
    line.setAttribute("x2", 100 * value + "%");
  }
  const [low, open, high] = moved.closest(".dual").querySelectorAll("rect");
  const b = 100 * at("b", level);
  const a = 100 * at("a", level);
  low.setAttribute("width", b + "%");
  open.setAttribute("x", b + "%");
  open.setAttribute("width", a - b + "%");
  high.setAttribute("x", a + "%");
  high.setAttribute("width", 100 - a + "%");
});

document.addEventListener("submit", (event) => {
  const question = (event.submitter || event.target).dataset.ask || event.target.dataset.ask;
  if (question && !window.confirm(question)) event.preventDefault();
}, true);

const say = (text) => {
  let note = document.getElementById("lost");
  if (!note) {
    note = document.createElement("p");
    note.id = "lost";
    note.setAttribute("role", "alert");
    document.body.prepend(note);
  }
  note.textContent = text;
};
document.addEventListener("htmx:sendError", () =>
  say("The studio does not answer. Was it ended? Start it again with 'shoal studio' and open its new link; nothing that was kept is lost."));
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.xhr.status !== 403) return;
  event.detail.shouldSwap = false;
  say("This page belongs to a studio that was ended. Open the link that the new one has printed.");
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful) document.getElementById("lost")?.remove();
});
