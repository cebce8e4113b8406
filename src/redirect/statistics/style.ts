import { look } from '../../generated/look.ts';

/** The style sheet of pages of statistics: light and dark, from a width of 320 pixels. */
export const style = `${look}
  * { box-sizing: border-box }
  body { padding: 1.25rem 1rem 3rem }
  main { max-width: 68rem; margin: 0 auto }
  h1, h2, p, dl, dd { margin: 0 }
  h1 { font-size: 1.75rem; line-height: 1.25; letter-spacing: -.01em; overflow-wrap: anywhere }
  h1 a { color: inherit; text-decoration: none }
  h1 a:hover { text-decoration: underline }
  h2 { font-size: 1.0625rem; line-height: 1.3 }
  .top { display: flex; flex-wrap: wrap; gap: 1rem 2rem; align-items: end; justify-content: space-between; margin: 1.5rem 0 1rem }
  .top p, footer, section > p { color: var(--quiet) }
  .uses { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: .75rem }
  .uses button:not([hidden]), .uses summary { display: flex; align-items: center; min-height: 2.25rem; margin: 0;
    padding: .375rem .875rem; border: 1px solid var(--edge); border-radius: .625rem; background: var(--card);
    color: var(--text); font: 500 .9375rem/1.4 var(--font); cursor: pointer; list-style: none }
  .uses summary::-webkit-details-marker { display: none }
  .uses button:hover, .uses summary:hover { border-color: var(--act) }
  .uses details { position: relative; margin: 0 }
  .uses img { position: absolute; z-index: 1; top: calc(100% + .5rem); left: 0; display: block; width: 13rem;
    max-width: none; border: 1px solid var(--line); border-radius: var(--round); background: #fff;
    box-shadow: 0 16px 48px rgb(20 20 45 / 25%) }
  nav { display: flex; flex-wrap: wrap; gap: .25rem; padding: .25rem; background: var(--card);
    border: 1px solid var(--line); border-radius: .75rem }
  nav a { padding: .375rem .75rem; border-radius: .5rem; color: var(--quiet); text-decoration: none; white-space: nowrap }
  nav a:hover { color: var(--text) }
  nav a[aria-current] { background: var(--fill); color: var(--text); font-weight: 600 }
  section, .totals { background: var(--card); border: 1px solid var(--line); border-radius: var(--round);
    box-shadow: var(--shadow) }
  .totals { display: grid; grid-template-columns: repeat(3, 1fr); margin-bottom: 1rem }
  .totals div { padding: 1rem 1.25rem }
  .totals div + div { border-left: 1px solid var(--line) }
  .totals dt { color: var(--quiet) }
  .totals dd { font-size: 1.75rem; font-weight: 650; line-height: 1.2; font-variant-numeric: tabular-nums }
  section { padding: 1.25rem; min-width: 0 }
  section h2 { margin-bottom: .75rem }
  section header { display: flex; flex-wrap: wrap; gap: 0 1.5rem; justify-content: space-between }
  .key { display: flex; flex-wrap: wrap; gap: 0 1.25rem; color: var(--quiet); font-size: .875rem }
  .key span::before { content: ''; display: inline-block; width: 1rem; margin-right: .5rem; vertical-align: .25em;
    border-top: 3px solid var(--act) }
  .key .visitors::before { border-top-color: var(--second) }
  .key .today::before { border-top: 3px dotted var(--quiet) }
  .chart { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .25rem .625rem; margin-top: 1rem }
  .chart svg { display: block; overflow: visible }
  .steps { width: 2.25rem; height: 15rem }
  .days { width: 100%; height: 15rem }
  .names { grid-column: 2; width: 100%; height: 1.25rem }
  text { fill: var(--quiet); font-size: .75rem; font-variant-numeric: tabular-nums }
  .grid line { stroke: var(--line) }
  .area { fill: var(--fill); opacity: .75 }
  polyline { fill: none; stroke-width: 2; stroke-linejoin: round; vector-effect: non-scaling-stroke }
  .many polyline { stroke-width: 1.25 }
  polyline.clicks { stroke: var(--act) }
  polyline.visitors { stroke: var(--second) }
  polyline.today { stroke-dasharray: 2 4 }
  .spots rect { fill: transparent }
  .spots rect:hover { fill: var(--text); opacity: .08 }
  .dimensions { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); gap: 1rem;
    margin-top: 1rem }
  .dimensions section:last-child { grid-column: 1 / -1 }
  .bars { list-style: none; margin: 0; padding: 0; display: grid; gap: .25rem }
  .bars li { position: relative; display: grid; grid-template-columns: minmax(0, 1fr) auto 4.25rem; gap: .75rem;
    padding: .25rem .625rem; font-variant-numeric: tabular-nums }
  .bars svg { position: absolute; inset: 0 }
  .bars rect { fill: var(--fill) }
  .bars li > span { position: relative }
  .name { display: flex; min-width: 0; white-space: nowrap }
  .name span { overflow: hidden; text-overflow: ellipsis }
  .name span + span { flex: none; overflow: visible }
  .empty { padding: 2.5rem 1.25rem; text-align: center }
  .empty p { max-width: 34rem; margin: 0 auto }
  .empty p + p { margin-top: .5rem }
  .count, .share { text-align: right }
  .share { color: var(--quiet) }
  details { margin-top: .75rem }
  summary { width: fit-content; color: var(--quiet); font-size: .875rem; cursor: pointer }
  table { width: 100%; margin-top: .5rem; border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums }
  th, td { padding: .25rem .5rem; border-top: 1px solid var(--line); text-align: right; vertical-align: top; white-space: nowrap }
  th:first-child { width: 100%; text-align: left; font-weight: 400; white-space: normal; overflow-wrap: anywhere }
  thead th, thead th:first-child { border-top: 0; color: var(--quiet); font-weight: 600 }
  footer { margin-top: 1.5rem; font-size: .875rem }
  .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
  :focus-visible { outline: 3px solid var(--act); outline-offset: 2px }
  @media (max-width: 36rem) {
    nav { width: 100% }
    nav a { flex: 1; padding-inline: .25rem; text-align: center }
    .totals div { padding: .75rem }
    .totals dd { font-size: 1.25rem }
    section { padding: 1rem }
    .spare { display: none }
    .bars li { grid-template-columns: minmax(0, 1fr) auto 3.5rem; gap: .5rem }
  }`;
