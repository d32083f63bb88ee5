import { execFile } from 'node:child_process'

/**
 * Opens a page in the browser, where there is one: whether it worked is not known, so the address is printed too. An address that is no page,
 * as a service may answer with, is not opened: it could be a program.
 */
export function openPage(page: string): void {
  if (!URL.canParse(page) || !['http:', 'https:'].includes(new URL(page).protocol)) return
  const opener = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'
  execFile(opener, [page], () => undefined)
}
