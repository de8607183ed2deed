/**
 * Types of the viewer. Those of the API come from the contract. A module describes the types of what it makes itself.
 *
 * `contract.d.ts` is generated from `openapi/openapi.json` (see tests/README.md). Editors find it once the tests of
 * `tests/viewer` have run.
 */

import type { components, paths } from "../../build/viewer/contract.js";
import type { Board } from "./board/board.js";
import type { Labels } from "./forms/labels.js";
import type { Moves } from "./moves/moves.js";
import type { Api, Problem } from "./state/api.js";
import type { Attempt, Commands } from "./state/commands.js";
import type { Frames } from "./state/frames.js";
import type { Landmarks } from "./state/landmarks.js";
import type { Room } from "./state/room.js";

type Schemas = components["schemas"];

/** What JSON can say. `undefined` stands for what was left out, or not chosen yet. */
export type Json = string | number | boolean | null | undefined | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json };

// --- requests ---

/** The parts between the slashes of a path: `/v1/games/{game}` is `["", "v1", "games", "{game}"]`. */
type Parts<Path extends string> = Path extends `${infer Part}/${infer Rest}` ? [Part, ...Parts<Rest>] : [Path];

/** Whether the parts of an address fit those of a path of the contract. */
type Fits<Address extends string[], Path extends string[]> = Address extends [
  infer One extends string,
  ...infer Rest extends string[],
]
  ? Path extends [infer Other extends string, ...infer Others extends string[]]
    ? Other extends `{${string}}`
      ? Fits<Rest, Others>
      : One extends Other
        ? string extends One
          ? false
          : Fits<Rest, Others>
        : false
    : false
  : Path extends []
    ? true
    : false;

type WithoutQuery<Address extends string> = Address extends `${infer Path}?${string}` ? Path : Address;

/** The path of the contract that an address such as `/v1/games/${id}/state` belongs to; one without parameters goes first. */
export type PathOf<Address extends string> =
  WithoutQuery<Address> extends keyof paths
    ? WithoutQuery<Address>
    : {
        [Path in keyof paths]: Fits<Parts<WithoutQuery<Address>>, Parts<Path>> extends true ? Path : never;
      }[keyof paths];

type Operation<Address extends string, Method extends string> = paths[PathOf<Address>] extends {
  [name in Method]: infer Found;
}
  ? Found
  : never;

type JsonOf<Response> = Response extends { content: { "application/json": infer Body } } ? Body : never;

/** The JSON of a successful answer. */
export type Answer<Address extends string, Method extends string> =
  Operation<Address, Method> extends { responses: infer Responses }
    ? JsonOf<Responses[keyof Responses & (200 | 201 | 202)]>
    : never;

/** The JSON body of a request. */
export type Body<Address extends string, Method extends string> =
  Operation<Address, Method> extends { requestBody?: { content: { "application/json": infer Given } } } ? Given : never;

/** The query of a request: what is undefined, null or empty is left out. */
export type Query<Address extends string> =
  Operation<Address, "get"> extends { parameters: { query?: infer Given } }
    ? { [Name in keyof Given]?: Given[Name] | string | number | boolean | null }
    : never;

// --- answers ---

export type Game = Schemas["GameDetail"];
export type Clock = Schemas["Clock"];
export type SeatClock = Schemas["SeatClock"];
export type GameSummary = Schemas["GameSummary"];
export type Ruleset = Schemas["RulesetDetail"];
export type Me = Schemas["Me"];
export type AppRequest = Schemas["AppRequest"];
export type Frame = Schemas["FrameView"];
export type Scene = Schemas["Scene"];
export type Decision = Schemas["Decision"];
export type Standing = Schemas["StandingView"];
export type Nation = Schemas["NationView"];
export type Mark = Schemas["Mark"];
export type Shelf = Schemas["Shelf"];
export type Battle = Schemas["Battle"];
export type Fighter = Schemas["Fighter"];
export type Throw = Schemas["Throw"];
export type Roll = Schemas["RollView"];
export type SeatView = Schemas["SeatView"];
export type TakeBack = Schemas["TakeBack"];
export type EndProposal = Schemas["EndProposal"];
export type Rematch = Schemas["Rematch"];
export type Rematches = Schemas["Rematches"];
export type TimelineEntry = Schemas["TimelineEntry"];
export type Papers = Schemas["PapersView"];
export type Paper = Schemas["Paper"];
export type ProblemBody = Schemas["ProblemBody"];
export type RulesetSummary = Schemas["RulesetSummary"];
export type RuleView = Schemas["RuleView"];
export type LeftAnswer = Schemas["LeftAnswer"];
export type CaseSummary = Schemas["CaseSummary"];
export type InboxSettings = Required<Schemas["InboxSettings"]>;
export type InboxState = Schemas["InboxState"];
export type Notification = Schemas["Notification"];
export type Turn = Schemas["Turn"];
export type Webhook = Schemas["Webhook"];
export type Delivery = Schemas["Delivery"];
export type CaseDetail = Schemas["CaseDetail"];
export type CaseRuling = Schemas["CaseRuling"];
export type CaseStatement = Schemas["CaseStatement"];
export type Inspection = Schemas["Inspection"];
export type Player = Schemas["Player"];
export type TournamentSummary = Schemas["TournamentSummary"];
export type TournamentDetail = Schemas["TournamentDetail"];
export type LeagueSummary = Schemas["LeagueSummary"];
export type ImportDetail = Schemas["ImportDetail"];
export type ImportSummary = Schemas["ImportSummary"];
export type LeagueDetail = Schemas["LeagueDetail"];
export type LeagueSeason = Schemas["SeasonView"];
export type TournamentStandings = Schemas["TournamentStandings"];
export type CrosstableView = Schemas["CrosstableView"];
export type RoundView = Schemas["RoundView"];
export type TableView = RoundView["tables"][number];
export type Drawn = RoundView["drafts"][number]["drawn"];
export type DrawCost = Schemas["TournamentCost"];
export type PricedTables = Schemas["PricedTables"];
export type Agenda = Schemas["Agenda"];
export type AgendaTable = Schemas["AgendaTable"];
export type TournamentEvent = Schemas["TournamentEventView"];
export type TournamentPreset = Schemas["TournamentPreset"];
export type Regulations = TournamentDetail["regulations"];
export type Session = Schemas["SessionView"];

export type PlayerRecord = Schemas["PlayerRecord"];
export type PlayerRatings = Schemas["PlayerRatings"];
export type RatingHistory = Schemas["RatingHistory"];
export type Rating = Schemas["Rating"];
export type RatedPlayer = Schemas["RatedPlayer"];
export type PlayerLuck = Schemas["PlayerLuck"];
export type GameLuck = Schemas["GameLuck"];
export type Luck = Schemas["Luck"];
export type PaperLine = Schemas["Line"];
export type ScenarioView = Schemas["ScenarioView"];
export type RuleAtWork = Schemas["RuleAtWork"];
export type JudgingDraw = Schemas["JudgingDraw"];
export type Ruling = CaseRuling["ruling"];
export type Invitation = Schemas["Invitation"];
export type Orders = Schemas["Orders"];

// --- what a seat may do ---

/** Where in a value something is: names of members and indexes in lists. */
export type Path = (string | number)[];

/** A command: its type, and what its option leaves to choose. */
export type Command = { type: string } & JsonObject;

/** What only schemas of set-ups have besides. */
type Said = { description?: string; default?: Json; title?: string };

export type ConstField = Omit<Schemas["ConstSchema"], "const"> & Said & { type?: undefined; const: Json };
export type EnumField = Omit<Schemas["EnumSchema"], "enum"> & Said & { type?: undefined; enum: Json[] };
export type IntegerField = Schemas["IntegerSchema"] & Said;
export type BooleanField = Schemas["BooleanSchema"] & Said;
export type StringField = Schemas["StringSchema"] & Said;
export type ArrayField = Omit<Schemas["ArraySchema"], "items" | "contains"> &
  Said & { items: Field; contains?: EnumField };
export type ObjectField = Omit<Schemas["ObjectSchema"], "properties"> & Said & { properties: Record<string, Field> };

/** A choice of some out of a list. */
export type Subset = ArrayField & { items: ConstField | EnumField };

/** What one value of a command may be: a JSON Schema. */
export type Field = ConstField | EnumField | IntegerField | BooleanField | StringField | ArrayField | ObjectField;

export type Gesture = Schemas["GestureKeyword"];
export type Cost = Schemas["CostKeyword"];

/** A command, or a family of commands, that would be accepted now. */
export type Option = Omit<Schemas["Option"], "schema"> & { schema: ObjectField };

// --- the log, as an export has it ---

/** What is hidden from some: the commitment to a value, and who may read it. */
export type Sealed = { commitment: string; readers: string[] };

/** A hidden value that was published. */
export type Opened = { commitment: string; readers: string[]; salt: string; value: Json };

/**
 * The members of the events that are known here; an event has those of its type. A log may be forged, so proofs check
 * each member and trust none.
 */
export type LoggedEvent = {
  type: string;
  abandoned_after: number | undefined;
  absent: string[];
  agrees: boolean;
  again: number[];
  answer: { readers: string[] } | undefined;
  asked: number;
  asks: string | string[];
  at: string;
  board: string;
  by: string;
  clock: Json;
  commitment: string;
  depth: number | undefined;
  documents: Record<string, string> | undefined;
  earned: Record<string, number>;
  entropy: string;
  forks: string | undefined;
  hash: string;
  left: number;
  order: string[][];
  organizer: string;
  organizer_sees: string;
  parent: string;
  player: string;
  players: Record<string, string>;
  proposed: number;
  purpose: string | undefined;
  readers: string | undefined;
  reason: string;
  round: number;
  rule: string;
  ruleset: string;
  ruleset_version: number;
  runs: string[];
  seat: string;
  seats: string[];
  secret: string;
  setup: Json;
  since: string;
  then: string;
  to: number;
  version: number;
  winners: string[];
  withheld: string | undefined;
  rematch_of: string | undefined;
  offered_until: string | undefined;
};

/** Who caused an event, and how. */
export type Cause = {
  player: string;
  seat?: string;
  key?: string;
  case?: string;
  by?: "clock" | "house";
  tournament?: string;
  command?: { type: string; to: number; sealed?: Sealed };
};

/** The members of the events of a case. */
export type CaseEvent = {
  type: string;
  about: number;
  asks?: string;
  cited: string[];
  command?: Json;
  decision?: string;
  game: string;
  hash?: string;
  kind: string;
  number: number;
  order?: string[][];
  reason?: string;
  seat?: string;
  statement?: string;
  to?: number | string;
  version?: number;
};

/** A row of the log of a case. */
export type CaseRow = Row<CaseEvent>;

/** A row of a log, by default of a game's. */
export type Row<Event = LoggedEvent> = {
  at: string;
  cause?: Cause;
  draws: number;
  event: Event;
  game: string;
  hash: string;
  schema: number;
  version: number;
};

/** A row of a game's log as `GET /v1/games/{id}/events` shows it: with its type, and what it hides from others. */
export type EventRow = Row & { type: string; secrets?: Opened[] };

// --- the page ---

/** A room that was entered, and has its board: the game is known, and where it stands. */
export type Entered = Room & { game: Game; frames: Frames; landmarks: Landmarks; board: Board };

/** What is asked of a seat, and what it may do, at a version. */
export type Options = { version: number; decisions: Decision[]; options: Option[] };

/** What commands would bring about, if they are acceptable. */
export type Checked = {
  commands: number;
  can_undo?: boolean;
  gone?: Record<string, number>;
  next?: { options: Option[] };
};

/** What a page shows as a table with a board: a game that was entered (`Room`), or the position of a lesson (`Lessons`). */
export interface Table extends EventTarget {
  readonly api: Api;
  readonly id: string;
  readonly game: Game;
  readonly ahead: number;
  readonly ruleset: Ruleset | null;
  readonly board: Board;
  readonly papers: Pick<Papers, "papers" | "origins" | "sources"> | null;
  readonly landmarks: Landmarks | null;
  readonly isGame: boolean;
  readonly seat: string | null;
  readonly version: number;
  readonly head: number;
  readonly following: boolean;
  readonly against: number | null;
  readonly area: string | null;
  readonly currentScene: Scene | undefined;
  paper: Paper | null;
  labels: Labels | null;
  commands: Commands | null;
  moves: Moves | null;
  problem: Problem | null;
  scene(version: number | null): Scene | undefined;
  /** The frames of a game, and those that its board tells of; a lesson has none. */
  readonly frames?: Frames | null;
  overview?: Frame[] | null;
  frame(version: number): Partial<Frame> | undefined;
  battle(version: number): Battle | null | undefined;
  choose(area: string | null): void;
  show(version: number): void;
  redraw(): void;
  refresh(): unknown;
  focusOn(id: string): void;
  options(): Promise<Options>;
  answers(): Promise<{ answers: LeftAnswer[] }>;
  check(body: Orders, headers?: Record<string, string>, next?: boolean): Promise<Checked>;
  give(attempt: Attempt): Promise<{ after: number; version: number }>;
  goOn(version: number): void;
}

// --- what is pushed ---

/** What the service pushes: see `service/webhooks/carrying.py`. */
export interface Pushed {
  title: string;
  body: string;
  url: string;
  tag: string;
}

/** An event that keeps its service worker alive for a while. */
interface Lasting extends Event {
  waitUntil(work: Promise<unknown>): void;
}

export interface SubscriptionChange extends Lasting {
  oldSubscription: PushSubscription | null;
  newSubscription: PushSubscription | null;
}

/** The global object of a service worker, as far as it is used. TypeScript types `self` as that of a page. */
export interface PushWorker {
  addEventListener(type: "push", listener: (event: Lasting & { data?: { json(): Pushed } }) => void): void;
  addEventListener(
    type: "notificationclick",
    listener: (event: Lasting & { notification: globalThis.Notification }) => void,
  ): void;
  addEventListener(type: "pushsubscriptionchange", listener: (event: SubscriptionChange) => void): void;
  registration: ServiceWorkerRegistration;
  clients: {
    matchAll(
      options: object,
    ): Promise<{ url: string; visibilityState: DocumentVisibilityState; focus(): Promise<unknown> }[]>;
    openWindow(url: string): Promise<unknown>;
  };
}

/** An event at an element of a known kind. */
export type At<Place extends EventTarget, Kind extends Event = Event> = Kind & { target: Place; currentTarget: Place };

/** A form that was sent. */
export type Submitted = At<HTMLFormElement, SubmitEvent>;

/** Let `includes` and `has` take any value, such as the seat of a spectator, which is null. */
declare global {
  interface Array<T> {
    includes(element: unknown, from?: number): boolean;
  }
  interface Set<T> {
    has(element: unknown): boolean;
  }
}
