/** Server-sent events over `fetch`, which sends a token: they resume where they broke off. */

import { Problem } from "./problems.js";

/** A frame of a stream. `type` is the type of its event. Without data it only says where to go on. */
export interface Frame {
  id: string;
  type: string;
  data: string;
}

/** How a stream is opened, and when it is taken for lost. */
export interface Following {
  /** Open the stream after the frame with an id; rejects with a `Problem` when the service does not let it be opened. */
  open(last: string | undefined, signal: AbortSignal): Promise<Response>;
  /** Where to begin. */
  last?: string | undefined;
  /** Milliseconds without a sign of life after which a stream is lost; the service gives one every 15 seconds. */
  silence: number;
  /** Milliseconds before the first attempt to connect again. They double up to `longest`. */
  pause: number;
  longest: number;
  signal?: AbortSignal | undefined;
  /** Look by a plain request for frames that a proxy may be holding back: asked when a stream was silent. */
  missed?(last: string | undefined): Promise<Frame[]>;
}

const SILENT = "silent";

/**
 * Yield the frames of a stream, and connect again whenever it breaks off, after the last frame. Ends when the service
 * says that no more will come (204). Throws a `Problem` where it refuses, such as 401 when the token has ended.
 */
export async function* frames({ open, last, silence, pause, longest, signal, missed }: Following): AsyncGenerator<Frame, void> {
  for (let failures = 0; !signal?.aborted; failures += 1) {
    const stop = new AbortController();
    const both = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    const alarm = () => setTimeout(() => stop.abort(SILENT), silence);
    let timer = alarm();
    try {
      const response = await open(last, both);
      if (response.status === 204 || !response.body) return;
      for await (const block of blocks(response.body, () => (clearTimeout(timer), (timer = alarm())))) {
        const frame = parsed(block);
        last = frame.id ?? last;
        failures = 0;
        if (frame.data === undefined) continue;
        clearTimeout(timer); // However long the reader takes, that is no silence.
        yield { id: last ?? "", type: frame.type, data: frame.data };
        timer = alarm();
      }
    } catch (error) {
      if (error instanceof Problem) throw error;
      if (signal?.aborted) return;
    } finally {
      clearTimeout(timer);
      stop.abort();
    }
    const held = stop.signal.reason === SILENT ? await missed?.(last).catch(unlessRefused) : undefined;
    for (const frame of held ?? []) {
      last = frame.id;
      if (frame.data) yield frame;
    }
    await rest(jittered(Math.min(longest, pause * 2 ** failures)), signal);
  }
}

/** What was not answered ends no stream; what the service refuses does. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof Problem) throw error;
}

/** Return about so many milliseconds: not all clients of a service that was away come back at once. */
export function jittered(milliseconds: number): number {
  return milliseconds * (0.5 + Math.random() / 2);
}

/** Wait so many milliseconds. */
export function rest(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => (clearTimeout(timer), signal?.removeEventListener("abort", done), resolve());
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done);
  });
}

/** Yield the blocks of a stream of text, between empty lines; what was cut off at the end is none. */
async function* blocks(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<string, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      heard();
      const whole = (text + decoder.decode(part.value, { stream: true })).split("\n\n");
      text = whole.pop() ?? "";
      yield* whole;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Return the fields of a block. A comment has none; a block with only an id says where to go on. */
function parsed(block: string): { id?: string; type: string; data?: string } {
  const fields: { [name: string]: string[] } = {};
  for (const line of block.split("\n")) {
    const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    (fields[name] ??= []).push(value);
  }
  const { id, event, data } = fields;
  return { type: event?.at(-1) ?? "message", ...(id && { id: id.at(-1) }), ...(data && { data: data.join("\n") }) };
}
