/** Browsers by a part of their agent, the special before those that they are made from. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const
/** An agent of Android also names Linux, and one of an iPhone the Mac. */
const SYSTEMS = ['iPhone', 'iPad', 'Android', 'Windows', 'Mac', 'Linux'] as const
const MOST = 60

/** `Mozilla/5.0 (X11; Linux x86_64) … Chrome/140` as `Chrome on Linux`; what is no browser, as it names itself. */
export function deviceName(agent: string | null): string {
  if (!agent) return 'Unknown device'
  const browser = BROWSERS.find(([mark]) => agent.includes(mark))?.[1]
  const system = SYSTEMS.find((name) => agent.includes(name))
  return browser ? `${browser}${system ? ` on ${system}` : ''}` : agent.slice(0, MOST)
}
