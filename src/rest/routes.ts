import { linkRoutes } from './links.ts';
import type { AnyRoute } from './route.ts';
import { spaceRoutes } from './spaces.ts';
import { statisticsRoutes } from './statistics.ts';

/** Every operation of v1. */
export const routes: readonly AnyRoute[] = [...spaceRoutes, ...linkRoutes, ...statisticsRoutes];
