// Replays the games of this page. A picture is a list of numbers of lines; a step takes some out and puts others in.
(() => {
  const data = JSON.parse(document.getElementById("films").textContent);
  const at = id => document.getElementById(id);
  let film, pictures, ply = 0, timer = null;

  function load(index) {
    film = data.films[index];
    pictures = [film.first];
    for (const [out, put] of film.steps) {
      const gone = new Set(out);
      const next = pictures[pictures.length - 1].filter(n => !gone.has(n));
      for (const [place, number] of put) next.splice(place, 0, number);
      pictures.push(next);
    }
    at("ply").max = film.moves.length;
    at("moves").replaceChildren(...film.moves.map((move, i) => {
      const word = document.createElement("span");
      word.textContent = (i % 2 ? "" : (i / 2 + 1) + ". ") + move;
      word.onclick = () => show(i + 1);
      return word;
    }));
    show(0);
  }

  function show(n) {
    ply = Math.max(0, Math.min(n, film.moves.length));
    at("board").innerHTML = pictures[ply].map(i => data.lines[i]).join("\n");
    at("ply").value = ply;
    at("count").textContent = ply + " / " + film.moves.length;
    const words = at("moves").children;
    for (const word of at("moves").querySelectorAll(".now")) word.classList.remove("now");
    if (ply > 0) {
      words[ply - 1].classList.add("now");
      at("moves").scrollTop = words[ply - 1].offsetTop - at("moves").offsetTop - 40;
    }
    if (ply === film.moves.length) stop();
  }

  function stop() { clearInterval(timer); timer = null; at("play").textContent = "Play"; }

  at("game").onchange = e => { stop(); load(e.target.value); };
  at("ply").oninput = e => { stop(); show(+e.target.value); };
  at("first").onclick = () => { stop(); show(0); };
  at("back").onclick = () => { stop(); show(ply - 1); };
  at("next").onclick = () => { stop(); show(ply + 1); };
  at("last").onclick = () => { stop(); show(film.moves.length); };
  at("play").onclick = () => {
    if (timer) return stop();
    if (ply === film.moves.length) show(0);
    at("play").textContent = "Pause";
    timer = setInterval(() => show(ply + 1), 700);
  };
  document.addEventListener("keydown", e => {
    if (e.target.tagName === "SELECT") return;
    if (e.key === "ArrowLeft") { stop(); show(ply - 1); }
    if (e.key === "ArrowRight") { stop(); show(ply + 1); }
  });
  load(0);
})();
