import type { View } from '../data.ts'
import { type Html, html } from '../html/html.ts'

/** Without the script, the end as a time of the day in UTC. */
export const clock = (time: string): string => `${time.slice(11, 16)} UTC`

/** A value with its label and, where it can be copied, a button. `copied`: what is copied, where it is not what is shown. */
export const value = (
  texts: View['texts'],
  name: string,
  label: string,
  text: string,
  copy?: string,
  { copied, after }: { readonly copied?: string; readonly after?: Html } = {},
): Html =>
  html`<div class="value"><dt>${label}</dt><dd>${copy ? html`<span dir="ltr"><code id="${name}-text" class="${name}"${copied !== undefined && html` data-copied="${copied}"`}>${text}</code>${after}</span>` : html`<bdi id="${name}-text">${text}</bdi>`}</dd>
    ${copy !== undefined && html`<dd data-script><button type="button" class="copy" data-copy="${name}-text" aria-label="${copy}">${texts.copy}</button></dd>`}</div>`
