// The token in the address of a link of `gpusched page` (/#login=TOKEN); null in any other address.
export function loginToken(hash: string): string | null {
  const found = /^#\/?login=([^&]+)/.exec(hash);
  if (!found?.[1]) return null;
  try {
    return decodeURIComponent(found[1]);
  } catch {
    // Cut in the middle of a %: it is a login link all the same, and must not stay in the address.
    return found[1];
  }
}
