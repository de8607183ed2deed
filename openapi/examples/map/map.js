// The map client: it draws the bare board once, then only what each version changed. Clicked areas choose commands.

import { Client, Problem, Refusal, apply, every, sample } from "@tabularium/client";

const MOST = 12; // Commands of one option that are shown.
const DRAWN = 400; // Random commands of a large option; those that name the chosen areas are shown.

const { service = location.origin, game, token } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const client = new Client(service, token ? { token } : {});
const at = (id) => document.getElementById(id);

let scene; // What is drawn.
let options = []; // What the seat may do at this version.
let version = 0;
const chosen = new Set(); // The areas that were clicked.

// --- the picture ---

/** Put the bare board into the page. Its pieces come from the service that you trust with your token anyway. */
async function unfold(ruleset) {
  at("board").innerHTML = await client.text("/v1/rulesets/{ruleset}/board.svg", { ruleset });
  for (const area of at("board").querySelectorAll("[data-area]")) {
    area.addEventListener("click", () => choose(area));
    area.addEventListener("keydown", ({ key }) => key === "Enter" && choose(area));
  }
}

/** Draw the parts of a frame or scene; parts that it does not have stay as they are. */
function draw({ areas = {}, links, heading, standings }) {
  for (const [area, svg] of Object.entries(areas)) {
    const group = at(`area-${area}`);
    if (group) group.innerHTML = svg;
  }
  if (links !== undefined) at("links").innerHTML = links;
  if (heading !== undefined) at("heading").textContent = heading || "Before the game";
  if (standings !== undefined) at("seats").replaceChildren(...standings.map(seatOf));
}

function seatOf({ name, colour, figures }) {
  const row = document.createElement("li");
  row.style.borderLeft = `0.6rem solid ${colour}`;
  const texts = Object.entries(figures).map(([figure, number]) => `${figure} ${number}`);
  row.textContent = ` ${name}: ${texts.join(", ")}`;
  return row;
}

/** Fetch what changed since the scene that is drawn, and draw that. */
async function catchUp() {
  for (let after = scene.version; after !== null; ) {
    const page = await client.get("/v1/games/{game}/frames", { game, after });
    for (const frame of page.frames) {
      scene = apply(scene, frame);
      draw(frame);
      tell(frame);
    }
    after = page.next;
  }
}

function tell({ version, text }) {
  if (!text) return;
  const line = document.createElement("li");
  line.value = version;
  line.textContent = text;
  at("log").prepend(line);
}

// --- commands ---

function choose(area) {
  const { area: id } = area.dataset;
  area.classList.toggle("chosen", !chosen.delete(id) && Boolean(chosen.add(id)));
  show();
}

/** Return commands of an option that name all chosen areas. */
function named({ schema }) {
  const all = every(schema) ?? Array.from({ length: DRAWN }, () => sample(schema));
  const texts = [...new Set(all.map((command) => JSON.stringify(command)))];
  return texts.filter((text) => [...chosen].every((area) => text.includes(`"${area}"`)));
}

function show() {
  const texts = options.flatMap((option) => named(option).slice(0, MOST));
  at("commands").replaceChildren(...texts.map(buttonOf));
}

function buttonOf(text) {
  const button = document.createElement("button");
  button.textContent = text.replace(/["{}[\]]/g, "").replace(/^type:/, "").replaceAll(",", ", ");
  button.title = text;
  button.addEventListener("click", () => give(JSON.parse(text)));
  return button;
}

async function give(command) {
  at("problem").textContent = "";
  try {
    await client.command(game, command, { version });
    for (const area of document.querySelectorAll(".chosen")) area.classList.remove("chosen");
    chosen.clear();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    at("problem").textContent = error instanceof Refusal ? `${error.message} (${error.rule})` : error.message;
  }
}

/** Ask what the seat may do now. */
async function ask() {
  if (!token) return;
  const asked = await client.options(game);
  version = asked.version;
  options = asked.options.filter(({ decision }) => decision);
  const titles = asked.decisions.filter(({ seats }) => seats.includes(asked.seat)).map(({ title }) => title);
  at("asked").textContent = titles.join(" ") || "The game waits for others.";
  show();
}

// --- the game ---

const { ruleset, version: newest } = await client.get("/v1/games/{game}", { game });
await unfold(ruleset);
({ key: scene } = await client.get("/v1/games/{game}/frames", { game, after: newest, limit: 1 }));
draw(scene);
await ask();
for await (const event of client.events(game, newest)) {
  if (event.version <= scene.version) continue; // It was drawn together with an earlier event.
  await catchUp();
  await ask();
}
at("heading").textContent = "The game is over";
