/** The content security policy allows script URLs from this policy only, and this policy allows only these. */
const names = /^\/(worker\.js|assets\/worker-[\w-]+\.js)$/;

export const trustedScript = (url: string): string => {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy('parley-worker', { createScriptURL: onlyOurs });
  return policy ? policy.createScriptURL(url) : url;
};

let policy: ReturnType<TrustedTypes['createPolicy']> | undefined;

function onlyOurs(url: string): string {
  if (!names.test(new URL(url, location.origin).pathname)) throw new TypeError(`No script: ${url}`);
  return url;
}

/** The part of the API that is used here; a `TrustedScriptURL` is typed as a string. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}
