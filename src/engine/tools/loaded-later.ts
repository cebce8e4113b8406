const later: (() => Promise<unknown>)[] = [];

/** Functions that load modules, for soon after the start. */
export const allLoadedLater: Iterable<() => Promise<unknown>> = later;

/**
 * Returns a function that imports a module once: for whoever first needs it, or soon after the start. To import it again would
 * need its file again, which another build may have replaced.
 */
export function loadedLater<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loaded: Promise<Module> | undefined;
  const loadOnce = () => {
    loaded ??= load();
    return loaded;
  };
  later.push(loadOnce);
  return loadOnce;
}
