import './scalars.ts';
import './viewer.ts';
import './space.ts';
import { builder } from './builder.ts';

export const schema = builder.toSchema();
