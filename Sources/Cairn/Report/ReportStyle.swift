/// The style of a report in light and dark mode and in print. It loads no external resources.
enum ReportStyle {
  static let sheet = """
    :root {
      color-scheme: light dark;
      --paper: #ffffff; --ink: #1b1f24; --soft: #59636e; --line: #d1d9e0; --band: #f4f6f8;
      --confirmed: #1a7f37; --predicted: #0969da; --disputed: #cf222e; --rejected: #8c959f;
      --right: #1a7f37; --wrong: #cf222e; --bar: #0969da;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #0d1117; --ink: #e6edf3; --soft: #9198a1; --line: #3d444d; --band: #161b22;
        --confirmed: #3fb950; --predicted: #58a6ff; --disputed: #ff7b72; --rejected: #6e7681;
        --right: #3fb950; --wrong: #ff7b72; --bar: #58a6ff;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0 auto; max-width: 68rem; padding: 2rem 1.5rem 4rem; background: var(--paper);
      color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
    }
    h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .25rem; overflow-wrap: anywhere; }
    h2 { margin: 3rem 0 .5rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
    h3 { margin: 2rem 0 .5rem; overflow-wrap: anywhere; }
    p { max-width: 46rem; margin: .5rem 0; }
    .soft, caption, figcaption { color: var(--soft); }
    code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
    .numbers { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0; padding: 0; }
    .numbers li {
      list-style: none; min-width: 8rem; padding: .6rem .9rem; border: 1px solid var(--line);
      border-radius: .5rem; background: var(--band);
    }
    .numbers b { display: block; font-size: 1.5rem; line-height: 1.2; }
    .numbers span { color: var(--soft); font-size: .875rem; }
    .scroll { overflow-x: auto; margin: 1rem 0; }
    table { border-collapse: collapse; min-width: 26rem; font-size: .9375rem; }
    caption { text-align: left; padding: .25rem 0; }
    th, td { padding: .3rem .75rem; text-align: left; border-bottom: 1px solid var(--line); }
    thead th { font-weight: 600; white-space: nowrap; vertical-align: bottom; }
    tbody th { font-weight: 500; min-width: 8rem; max-width: 22rem; overflow-wrap: anywhere; }
    td svg { max-width: none; display: block; }
    tbody tr:nth-child(even) { background: var(--band); }
    .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    figure { margin: 1rem 0; }
    .side { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; align-items: flex-start; }
    svg { max-width: 100%; height: auto; }
    svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
    svg text.soft { fill: var(--soft); }
    svg text.count { font-size: 11px; }
    .axis { stroke: var(--soft); stroke-width: 1; }
    .grid { stroke: var(--line); stroke-width: 1; }
    .even { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 4 4; }
    .bar { fill: var(--bar); }
    .gap { fill: var(--wrong); }
    .right { fill: var(--right); }
    .wrong { fill: var(--wrong); }
    .cell { fill: none; stroke: var(--line); }
    .confirmed { fill: var(--confirmed); }
    .predicted { fill: var(--predicted); }
    .disputed { fill: var(--disputed); }
    .rejected { fill: var(--rejected); }
    .legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; margin: .75rem 0; }
    .legend li { list-style: none; }
    .legend svg { vertical-align: -1px; margin-right: .35rem; }
    .pictures { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1rem 0; padding: 0; }
    .pictures li { list-style: none; width: 12rem; }
    .pictures img { display: block; width: 12rem; height: 9rem; object-fit: contain; background: var(--band); }
    .pictures span { font-size: .875rem; overflow-wrap: anywhere; }
    summary { cursor: pointer; color: var(--soft); }
    @media print { body { max-width: none; } h2 { break-after: avoid; } figure { break-inside: avoid; } }
    """
}
