/** Checks deliveries of webhooks, which are signed by the Standard Webhooks specification. */

import { TabulariumError } from "./problems.js";

/** Headers of a delivery: those of `fetch`, or an object with names in lower case. */
export type HeadersOf = Headers | { readonly [name: string]: string | string[] | undefined };

/** The service did not sign this delivery, or it is too old to be trusted. */
export class Forged extends TabulariumError {
  override readonly name = "Forged";
}

/**
 * Check the signature of a delivery, and return its content. A delivery may come twice, with the same `webhook-id`.
 * @param secret `whsec_…`, as the service showed it
 * @param body the bytes as they arrived, not parsed and formatted again
 * @param clock `tolerance` are the seconds by which the clocks of the service and this machine may differ; `now` is the
 *   time in seconds, for a machine whose clock is known to be wrong
 * @throws Forged
 */
export async function delivery(
  secret: string,
  headers: HeadersOf,
  body: string | Uint8Array<ArrayBuffer>,
  clock: { tolerance?: number; now?: number } = {},
): Promise<{ type: string; timestamp: string; data: { [name: string]: unknown } }> {
  const { tolerance = 300, now = Date.now() / 1000 } = clock;
  const named = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== "string") throw new Forged(`the delivery has no header ${name}`);
    return value;
  };
  const [id, timestamp, signatures] = [named("webhook-id"), named("webhook-timestamp"), named("webhook-signature")];
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const key = await crypto.subtle.importKey("raw", bytes(secret.replace(/^whsec_/, "")), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const checks = signatures.split(" ").filter((each) => each.startsWith("v1,")).map(async (each) => {
    try {
      return await crypto.subtle.verify("HMAC", key, bytes(each.slice(3)), signed); // In constant time.
    } catch {
      return false; // It is not base64.
    }
  });
  if (!(await Promise.all(checks)).some(Boolean)) throw new Forged("no signature of the delivery is by this secret");
  const age = now - Number(timestamp);
  if (!(Math.abs(age) <= tolerance)) {
    const which = age > 0 ? "ago" : "from now";
    throw new Forged(`the delivery was signed ${Math.round(Math.abs(age))} seconds ${which}; at most ${tolerance} are allowed`);
  }
  return JSON.parse(text);
}

function bytes(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
