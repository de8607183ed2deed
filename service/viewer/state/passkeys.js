/**
 * Passkeys: what a browser and a device say to each other, brought to and from the service.
 * @module
 */

const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/**
 * Let the device make a passkey for the account that is signed in, and register it.
 * @param {import("./api.js").Api} api
 * @param {string} name to recognize it by
 */
export async function makePasskey(api, name) {
  const wanted = await api.post("/v1/passkeys/challenge");
  const { rawId, response } = await asked(() => navigator.credentials.create({
    publicKey: {
      challenge: bytes(wanted.challenge),
      rp: { id: wanted.host, name: "Tabularium" },
      user: { id: bytes(wanted.user), name: wanted.name, displayName: wanted.name },
      pubKeyCredParams: wanted.algorithms.map((alg) => ({ type: "public-key", alg })),
      excludeCredentials: wanted.known.map((id) => ({ type: "public-key", id: bytes(id) })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      attestation: "none",
    },
  }));
  const [client_data, attestation] = [text(response.clientDataJSON), text(response.attestationObject)];
  return api.post("/v1/passkeys", { name, id: text(rawId), client_data, attestation });
}

/** Let a passkey of the device sign this browser in. Returns whose session the browser has then. */
export async function signIn(api) {
  const wanted = await api.session("POST", {}, null, "/passkey/challenge");
  const { rawId, response } = await asked(() => navigator.credentials.get({
    publicKey: { challenge: bytes(wanted.challenge), rpId: wanted.host, userVerification: "required" },
  }));
  const proof = {
    id: text(rawId),
    client_data: text(response.clientDataJSON),
    authenticator_data: text(response.authenticatorData),
    signature: text(response.signature),
    user: text(response.userHandle),
  };
  return api.session("POST", proof, null, "/passkey");
}

/** Whether browsers make passkeys for the address of this page: they do for names only, and on HTTPS or on localhost. */
export function canHavePasskeys() {
  return Boolean(globalThis.PublicKeyCredential) && !/^[\d.]+$|:/.test(location.hostname);
}

/** Ask the device, and say in plain words why it did not do it. */
async function asked(ask) {
  if (!navigator.credentials || !globalThis.PublicKeyCredential) throw new Error("This browser has no passkeys here: they need HTTPS, or localhost.");
  try {
    return await ask();
  } catch (error) {
    if (error.name === "InvalidStateError") throw new Error("This device has a passkey of this account already.");
    if (error.name === "SecurityError") throw new Error("There are no passkeys for this address: it must be a name, not a number.");
    throw new Error("The device did not use a passkey. You can try again.");
  }
}
