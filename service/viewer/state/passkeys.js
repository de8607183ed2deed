/**
 * Passkeys: lets the device make or use one, and carries challenges and answers between it and the service.
 * @module
 */

/** @import { Api } from "./api.js" */

/** Decode base64url. @param {string} text */
const bytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
/** Encode as base64url. @param {ArrayBuffer} buffer */
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/**
 * Let the device make a passkey for the account that is signed in, and register it.
 * @param {Api} api
 * @param {string} name to recognize it by
 */
export async function makePasskey(api, name) {
  const wanted = await api.post("/v1/passkeys/challenge");
  const made = await askDevice(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: bytes(wanted.challenge),
        rp: { id: wanted.host, name: "Tabularium" },
        user: { id: bytes(wanted.user), name: wanted.name, displayName: wanted.name },
        pubKeyCredParams: wanted.algorithms.map((alg) => ({ type: /** @type {const} */ ("public-key"), alg })),
        excludeCredentials: wanted.known.map((id) => ({ type: /** @type {const} */ ("public-key"), id: bytes(id) })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
        attestation: "none",
      },
    }),
  );
  const response = /** @type {AuthenticatorAttestationResponse} */ (made.response);
  const [client_data, attestation] = [text(response.clientDataJSON), text(response.attestationObject)];
  return api.post("/v1/passkeys", { name, id: text(made.rawId), client_data, attestation });
}

/** Sign this browser in with a passkey of the device. Returns the new session. @param {Api} api */
export async function signIn(api) {
  const wanted = await api.session("POST", {}, null, "/passkey/challenge");
  const found = await askDevice(() =>
    navigator.credentials.get({
      publicKey: { challenge: bytes(wanted.challenge), rpId: wanted.host, userVerification: "required" },
    }),
  );
  const response = /** @type {AuthenticatorAssertionResponse} */ (found.response);
  const proof = {
    id: text(found.rawId),
    client_data: text(response.clientDataJSON),
    authenticator_data: text(response.authenticatorData),
    signature: text(response.signature),
    user: text(response.userHandle ?? new ArrayBuffer(0)),
  };
  return api.session("POST", proof, null, "/passkey");
}

/** Whether browsers make passkeys for the address of this page: they do for names only, and on HTTPS or on localhost. */
export function canHavePasskeys() {
  return Boolean(globalThis.PublicKeyCredential) && !/^[\d.]+$|:/.test(location.hostname);
}

/** Ask the device. Throws an error that says why it did not answer. @param {() => Promise<Credential | null>} ask */
async function askDevice(ask) {
  if (!navigator.credentials || !globalThis.PublicKeyCredential)
    throw new Error("This browser has no passkeys here: they need HTTPS, or localhost.");
  try {
    return /** @type {PublicKeyCredential} */ (await ask());
  } catch (error) {
    if (error instanceof DOMException && error.name === "InvalidStateError")
      throw new Error("This device has a passkey of this account already.");
    if (error instanceof DOMException && error.name === "SecurityError")
      throw new Error("There are no passkeys for this address: it must be a name, not a number.");
    throw new Error("The device did not use a passkey. You can try again.");
  }
}
