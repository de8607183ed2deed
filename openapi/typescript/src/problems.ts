/** Errors with which a request can end instead of an answer. */

import type { Schemas } from "./types.js";

/** The base of all errors about a service that this package throws. */
export class TabulariumError extends Error {}

/** The service answered with a problem (RFC 9457). The message says what was wrong, and what would be right. */
export class Problem extends TabulariumError {
  readonly status: number;
  /** Its kind, such as `/problems/not-now`. */
  readonly type: string;
  readonly title: string;
  readonly detail: string;
  /** What would be right. */
  readonly allowed: string | undefined;
  /** The whole answer. */
  readonly document: Partial<Schemas["ProblemBody"]>;

  constructor(status: number, document: Partial<Schemas["ProblemBody"]>) {
    const { type = "about:blank", title = `The service answered ${status}.`, detail = title, allowed } = document;
    super(allowed ? `${detail} ${allowed}` : detail);
    this.name = new.target.name;
    [this.status, this.type, this.title, this.detail] = [status, type, title, detail];
    [this.allowed, this.document] = [allowed, document];
  }

  /** Return the error of the right class: `Refusal` if a rule decided, `Stale` if the game has moved on. */
  static of(status: number, document: Partial<Schemas["ProblemBody"]> & { error?: string; error_description?: string }): Problem {
    const { error, error_description: detail = error } = document; // Endpoints of OAuth answer in this form.
    if (error && detail) return new NotSignedIn(error, detail, status);
    if (status === 412) return new Stale(status, document);
    return document.rule ? new Refusal(status, document) : new Problem(status, document);
  }
}

/** A rule decided against the request. */
export class Refusal extends Problem {
  /** The id of the rule, such as `CC-BAT-18`. */
  get rule(): string {
    return this.document.rule ?? "";
  }

  /** Where the rule stands in the rule book. */
  get source(): string | undefined {
    return this.document.source;
  }
}

/** The game has moved on since the version that `If-Match` named. Nothing happened. */
export class Stale extends Problem {}

/** Nobody is signed in: the person refused, the sign-in has ended, or the answer belongs to no sign-in of this app. */
export class NotSignedIn extends Problem {
  /** The error code of OAuth, such as `access_denied` or `invalid_grant`. */
  readonly error: string;

  constructor(error: string, detail: string, status = 400) {
    super(status, { title: "Nobody is signed in", detail });
    this.error = error;
  }
}

/** No whole answer arrived, however often the request was sent. */
export class Lost extends TabulariumError {
  override readonly name = "Lost";
}

/** A stream left out versions, and left them out again when the client asked for them. */
export class Gap extends TabulariumError {
  override readonly name = "Gap";
}
