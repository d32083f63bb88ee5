/** CSS: the custom properties that every page of the service is made of: colours in light and dark, type and corners. */
export const tokens = `:root {
  color-scheme: light dark;

  --text: light-dark(#16202c, #e4eaf1);
  --muted: light-dark(#52606f, #a2aebb);
  --page: light-dark(#ffffff, #11161c);
  --raised: light-dark(#f4f6f9, #1a212a);
  --line: light-dark(#d5dce4, #333e4a);
  --field: light-dark(#7d8896, #75818f);
  --accent: light-dark(#1a56db, #8ab4ff);
  --on-accent: light-dark(#ffffff, #0b1a33);
  --chosen: light-dark(#e6edff, #22304a);
  --error: light-dark(#b42318, #ff9d92);
  --error-soft: light-dark(#fdecea, #3a1a17);
  --good: light-dark(#137333, #81c995);
  --good-soft: light-dark(#e5f4ea, #15301f);
  --warning: light-dark(#5c4300, #ffe08a);
  --warning-soft: light-dark(#fff3cd, #3d3210);

  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Arabic", sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --small: 0.875rem;
  --large: 1.375rem;
  --title: 1.75rem;

  --radius: 0.5rem;
  --radius-large: 0.75rem;
}
`
