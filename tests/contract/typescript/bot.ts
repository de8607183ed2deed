// A stranger's bot: it knows the contract, as openapi-typescript tells it, and nothing of the rules. It registers
// players, seats them, and answers every decision with a command drawn from an option's schema. There is no cast.
//
//   node bot.js http://127.0.0.1:8000 mare-nostrum [commands]

import type { components, paths } from "./contract.js";

type Schemas = components["schemas"];
type Drawn = { [name: string]: unknown };
type Names = { [name: string]: string };
type Calls<M extends "get" | "post"> = { [P in keyof paths]: paths[P][M] extends object ? P : never }[keyof paths];
type Content<T> = T extends { content: { "application/json": infer C } } ? C : never;
type Answer<T> = T extends { responses: infer R } ? Content<R[keyof R & (200 | 201)]> : never;
type Body<T> = T extends { requestBody: infer B } ? Content<B> : undefined;

const [service = "http://127.0.0.1:8000", wanted = "mare-nostrum", most = "Infinity"] = process.argv.slice(2);

async function ask<T>(method: string, path: string, token?: string, body?: object): Promise<T> {
  const headers = { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const answer = await fetch(service + path, { method, headers, body: body && JSON.stringify(body) });
  if (answer.ok) return answer.json();
  const problem: Schemas["ProblemBody"] = await answer.json();
  throw new Error(`${method} ${path}: ${problem.detail} ${problem.allowed ?? ""}`);
}

function filled(path: string, names: Names): string {
  return path.replace(/{(\w+)}/g, (_, name: string) => names[name] ?? "");
}

function get<P extends Calls<"get">>(path: P, names: Names, token?: string) {
  return ask<Answer<paths[P]["get"]>>("GET", filled(path, names), token);
}

function post<P extends Calls<"post">>(path: P, names: Names, body: Body<paths[P]["post"]>, token?: string) {
  return ask<Answer<paths[P]["post"]>>("POST", filled(path, names), token, body);
}

// --- Drawing a command from an option's schema --------------------------------------------------------------------

const under = (limit: number): number => Math.floor(Math.random() * limit);
const between = (least: number, last: number): number => least + under(last - least + 1);
const oneOf = <T>(several: readonly T[]): T | undefined => several[under(several.length)];

function drawValue(schema: Schemas["ValueSchema"], least = false): unknown {
  if ("const" in schema) return schema.const;
  if ("enum" in schema) return oneOf(schema.enum);
  switch (schema.type) {
    case "integer": return between(schema.minimum, least ? schema.minimum : schema.maximum);
    case "boolean": return Math.random() < 0.5;
    case "string": return "";
    case "array": return drawArray(schema, least);
    case "object": return drawObject(schema, least);
  }
}

function drawArray(schema: Schemas["ArraySchema"], least: boolean): unknown[] {
  const drawn: unknown[] = [...(schema.contains?.enum ?? [])];
  const length = between(schema.minItems, least ? schema.minItems : schema.maxItems);
  const isIn = (item: unknown) => drawn.some((other) => JSON.stringify(other) === JSON.stringify(item));
  for (let tries = 0; drawn.length < length && tries < 1000; tries++) {
    const item = drawValue(schema.items);
    if (!schema.uniqueItems || !isIn(item)) drawn.push(item);
  }
  return drawn;
}

/** Draw some properties; then leave out one after the other, or draw it anew, until the keywords of our own hold. */
function drawObject(schema: Schemas["ObjectSchema"], least = false): Drawn {
  const properties = Object.entries(schema.properties);
  const isNeeded = (name: string) => schema.required.includes(name);
  const some = properties.filter(([name]) => isNeeded(name) || Math.random() < 0.5);
  const drawn: Drawn = Object.fromEntries(some.map(([name, each]) => [name, drawValue(each, least)]));
  for (let tries = 0; !holds(schema, drawn) && tries < 5000; tries++) {
    const [name, each] = oneOf(properties) ?? ["", { const: 0 }];
    if (!isNeeded(name) && Math.random() < 0.7) delete drawn[name];
    else drawn[name] = drawValue(each, Math.random() < 0.5);
  }
  return drawn;
}

function amount(value: unknown): number {
  if (typeof value === "number") return value;
  if (Array.isArray(value)) return value.length;
  return value && typeof value === "object" ? Object.values(value).reduce((sum, each) => sum + amount(each), 0) : 0;
}

function holds(schema: Schemas["ObjectSchema"], drawn: Drawn): boolean {
  const { "x-total": total = [], "x-cost": cost, "x-sum": sum } = schema;
  const price = Object.entries(cost?.prices ?? {}).reduce((spent, [name, each]) => spent + each * amount(drawn[name]), 0);
  const whole = amount(drawn);
  return [total].flat().every(({ of, minimum = 0, maximum = Infinity, times }) => {
    const counted = of.reduce((sum, name) => sum + amount(drawn[name]), 0);
    return minimum <= counted && counted <= maximum * (times ? amount(drawn[times]) : 1);
  }) && (!cost || ((cost.minimum ?? 0) <= price && price <= (cost.maximum ?? Infinity))) && (!sum || (sum.minimum <= whole && whole <= sum.maximum));
}

// --- Playing ------------------------------------------------------------------------------------------------------

/** What several rulesets call by the same name is told apart by the ruleset, and then has the fields of its own. */
function battle(happened: Schemas["EventView"]): string | undefined {
  switch (happened.ruleset) {
    case "mare-nostrum":
      return happened.event.type === "battle-began" ? `${happened.event.attacker}: ${happened.event.legions}` : undefined;
    case "conquest-campaign":
    case "italia-1":
    case "italia-2":
      return happened.event.type === "battle-began" ? `${happened.event.attacker} at ${happened.event.place}` : undefined;
    default:
      return happened.event.type === "battle-began" ? `${happened.event.attacker} in ${happened.event.province}` : undefined;
  }
}

const ruleset = await get("/v1/rulesets/{ruleset}", { ruleset: wanted });
const tokens: Names = {};
for (const seat of ruleset.seats[ruleset.players[0] ?? 2] ?? []) {
  tokens[seat] = (await post("/v1/players", {}, { name: `Bot ${seat}` })).token;
}
const [organizer] = Object.values(tokens);
const created = await post("/v1/games", {}, { ruleset: wanted, players: Object.keys(tokens).length }, organizer);
const here = { game: created.id };
for (const [seat, token] of Object.entries(tokens)) await post("/v1/games/{game}/seats", here, { seat }, token);
await post("/v1/games/{game}/start", here, undefined, organizer);

let game = await get("/v1/games/{game}", here);
let [commands, battles] = [0, 0];
for (; game.status === "running" && commands < Number(most); commands++) {
  const token = tokens[game.decisions[0]?.seats[0] ?? ""];
  const { options, version } = await get("/v1/games/{game}/options", here, token);
  const option = oneOf(options.filter((each) => each.decision));
  if (!option) throw new Error(`nothing can be answered at version ${version}`);
  const command = { ...drawObject(option.schema), type: option.command };
  const { events } = await post("/v1/games/{game}/commands", here, { command }, token);
  battles += events.filter(battle).length;
  game = await get("/v1/games/{game}", here);
}
const state = await get("/v1/games/{game}/state", here);
const { status, version, result } = game;
// What a view shows of all rulesets it shows of each: a seat, by its name.
const seats = state.view ? Object.keys(state.view.seats) : [];
console.log(JSON.stringify({ game: game.id, ruleset: state.ruleset, status, version, commands, battles, seats, result }));
