import type { AnyRoute } from '../engine/rest/route.ts';
import { linkRoutes } from './links.ts';
import { spaceRoutes } from './spaces.ts';
import { statisticsRoutes } from './statistics.ts';

export const routes: readonly AnyRoute[] = [...spaceRoutes, ...linkRoutes, ...statisticsRoutes];
