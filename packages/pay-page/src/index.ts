/** What a pay page looks like: pure functions, which the server and the browser share. */

export { readAmount, type WrittenAmount } from './amount.ts'
export { content } from './content.ts'
export { type Locale, locales, type NetworkType, type PayData, type View } from './data.ts'
export { type Document, messageDocument, type Parts, payDocument } from './document.ts'
export { fillPlain } from './fill.ts'
export { isLive, type Screen, screenOf } from './screen.ts'
export { languages, localeOf, texts } from './texts.ts'
export { contrast } from './theme.ts'
export { codeOf, wallets } from './wallets.ts'
