import { execFile } from 'node:child_process'

/** Opens a page in the browser, where there is one: whether it worked is not known, so the address is printed too. */
export function openPage(page: string): void {
  const opener = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'
  execFile(opener, [page], () => undefined)
}
