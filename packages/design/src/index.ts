import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The stylesheet of the tokens, for a bundler that follows imports itself. */
export const tokensFile = fileURLToPath(new URL('./tokens.css', import.meta.url))

/** The custom properties that every page of the service is made of: colours in light and dark, type and corners. */
export const tokens = readFileSync(tokensFile, 'utf8')
