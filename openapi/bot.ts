// A bot for any ruleset, in TypeScript: it answers whatever waits for its account, with commands drawn at random.
//
//   npx tsx bot.ts https://service.example TOKEN
//
// The token needs the scope `play`. Seat the account in games; the bot plays them until its stream ends.

type Value = boolean | number | string | Value[] | { [name: string]: Value };
type Bounds = { minimum?: number; maximum?: number };
type Total = Bounds & { of: string[]; times?: string };
type Schema = {
  type?: string; const?: Value; enum?: Value[]; minimum?: number; maximum?: number;
  items?: Schema; minItems?: number; maxItems?: number; uniqueItems?: boolean; contains?: { enum: Value[] };
  properties?: { [name: string]: Schema }; required?: string[];
  "x-total"?: Total | Total[]; "x-cost"?: Bounds & { prices: { [name: string]: number } }; "x-sum"?: Bounds;
};
type Option = { command: string; decision?: string; schema: Schema };
type Waiting = { game: string; version: number; decisions: object[]; take_backs: { asked: number }[] };

const [api = "", token = ""] = process.argv.slice(2);

async function ask(path: string, body?: object, more: { [name: string]: string } = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...more };
  const method = body ? "POST" : "GET";
  const answer = await fetch(api + path, { method, headers, body: body && JSON.stringify(body) });
  if (answer.ok) return answer;
  throw new Error(`${path}: ${await answer.text()}`); // a problem: what was wrong, and what would be right
}

// --- a command that fits the schema of an option ---

const between = (least: number, most: number): number => least + Math.floor(Math.random() * (most - least + 1));
const oneOf = <T>(several: T[]): T => several[between(0, several.length - 1)]!;

/** Return a value that fits a schema, with the smallest numbers where `least`. */
function drawn(schema: Schema, least = false): Value {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return oneOf(schema.enum);
  const { minimum = 0, maximum = 0, minItems = 0, maxItems = 0, items = {}, properties = {}, required = [] } = schema;
  if (schema.type === "integer") return least ? minimum : between(minimum, maximum);
  if (schema.type === "boolean") return Math.random() < 0.5;
  if (schema.type === "array") {
    const list = [...(schema.contains?.enum ?? [])], length = least ? minItems : between(minItems, maxItems);
    for (let tries = 0; list.length < length && tries < 1000; tries++) {
      const item = drawn(items), same = (other: Value) => JSON.stringify(other) === JSON.stringify(item);
      if (!schema.uniqueItems || !list.some(same)) list.push(item);
    }
    return list;
  }
  if (schema.type !== "object") return "";
  const all = Object.entries(properties), needed = (name: string) => required.includes(name);
  const some = all.filter(([name]) => needed(name) || Math.random() < 0.5);
  const value = Object.fromEntries(some.map(([name, each]) => [name, drawn(each, least)]));
  for (let tries = 0; !fits(value, schema) && tries < 5000; tries++) {
    const [name, each] = oneOf(all);
    if (!needed(name) && Math.random() < 0.7) delete value[name];
    else value[name] = drawn(each, Math.random() < 0.5);
  }
  return value;
}

/** Return what a value counts: itself, its items, or the sum of its properties. */
function amount(value?: Value): number {
  if (Array.isArray(value)) return value.length;
  if (typeof value === "object") return Object.values(value).reduce<number>((sum, each) => sum + amount(each), 0);
  return typeof value === "number" ? value : 0;
}

const within = (count: number, { minimum = 0, maximum = Infinity }: Bounds, times = 1): boolean =>
  minimum <= count && count <= maximum * times;

/** Tell whether an object fits the keywords that JSON Schema does not have; the contract defines them. */
function fits(value: { [name: string]: Value }, schema: Schema): boolean {
  const { "x-total": totals = [], "x-cost": cost = { prices: {} }, "x-sum": sum = {} } = schema;
  const price = Object.entries(cost.prices).reduce((paid, [name, each]) => paid + each * amount(value[name]), 0);
  const counted = (of: string[]) => of.reduce((count, name) => count + amount(value[name]), 0);
  return [totals].flat().every((each) => within(counted(each.of), each, each.times ? amount(value[each.times]) : 1))
    && within(price, cost) && within(amount(value), sum);
}

// --- playing ---

async function act({ game: id, version, decisions, take_backs }: Waiting): Promise<void> {
  const game = `/v1/games/${id}`;
  for (const { asked } of take_backs) await ask(`${game}/take-backs/${asked}/answer`, { agrees: true });
  if (!decisions.length) return;
  const { options }: { options: Option[] } = await (await ask(`${game}/options`)).json();
  const command = drawn(oneOf(options.filter((each) => each.decision)).schema);
  await ask(`${game}/commands`, { command }, { "If-Match": `"${version}"` });
}

const stream = (await ask("/v1/players/me/waiting/stream")).body!.getReader(), decoder = new TextDecoder();
let text = "";
for (let part = await stream.read(); !part.done; part = await stream.read()) {
  const lines = (text + decoder.decode(part.value, { stream: true })).split("\n");
  text = lines.pop() ?? "";
  for (const line of lines.filter((each) => each.startsWith("data:"))) {
    await act(JSON.parse(line.slice(5))).catch((error) => console.error(error)); // moved on: another frame follows
  }
}
