/** A block of code with its caption. */
export const figure = (language: string, label: string, coloured: string): string =>
  `<figure class="code ${language}"><figcaption><span>${label}</span></figcaption><pre tabindex="0"><code>${coloured}</code></pre></figure>`

/** Blocks of code that do the same in several languages: the reader chooses one, and all are shown where there is no script. */
export const tabs = (figures: readonly string[]): string => `<div class="tabs">${figures.join('\n')}</div>`

/** The anchor of a heading, as GitHub makes it. */
export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
