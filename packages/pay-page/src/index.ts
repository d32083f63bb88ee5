/** What a pay page looks like: pure functions, which the server and the browser share. */
// Order, lowest first: data, amount, html, money, texts, wallets, screens, document.

export { readAmount, type WrittenAmount } from './amount.ts'
export { type Locale, locales, type NetworkType, type PayData, type PaySession, type Texts, type View } from './data.ts'
export { type Document, messageDocument, type Parts, payDocument } from './document/document.ts'
export { accentOf, contrast } from './document/theme.ts'
export { fillPlain } from './html/fill.ts'
export { actors, type Claims, claimsOf, holders } from './money/claims.ts'
export { moneyOf, type Said, sentIn, type Wording } from './money/facts.ts'
export { amountIn, fiatIn, moneyIn, timeIn } from './money/numbers.ts'
export { type Reading, readingOf, type Told } from './money/readers.ts'
export { type MoneyData, outcomes, whats, whens } from './money/situation.ts'
export { content } from './screens/content.ts'
export { isLive, type Screen, screenOf } from './screens/screen.ts'
export { hasReceipt, stateOf } from './screens/session.ts'
export { languages, localeOf, texts } from './texts.ts'
export { linksTo, systemOf, walletLinks } from './wallets/links.ts'
export { codeOf, wallets } from './wallets/wallets.ts'
