import { texts as english, type Texts } from './en.ts';

export const texts: Texts = english;
