import { escapeHtml } from '@payments/gateway'
import type { HLJSApi } from 'highlight.js'

/** The names of the languages of code blocks, and the grammar that colours each; a block of output has none. */
export const LANGUAGES: Readonly<Record<string, { readonly label: string; readonly grammar?: string }>> = {
  sh: { label: 'Shell', grammar: 'bash' },
  cli: { label: 'CLI', grammar: 'bash' },
  ts: { label: 'TypeScript', grammar: 'typescript' },
  tsx: { label: 'TypeScript', grammar: 'typescript' },
  python: { label: 'Python', grammar: 'python' },
  php: { label: 'PHP', grammar: 'php' },
  go: { label: 'Go', grammar: 'go' },
  ruby: { label: 'Ruby', grammar: 'ruby' },
  json: { label: 'JSON', grammar: 'json' },
  js: { label: 'JavaScript', grammar: 'typescript' },
  html: { label: 'HTML', grammar: 'xml' },
  http: { label: 'HTTP', grammar: 'http' },
  text: { label: 'Output' },
}

/** The name of a language beside others that send the same request: a shell sends it with curl. */
export const tabLabel = (language: string): string => (language === 'sh' ? 'curl' : (LANGUAGES[language]?.label ?? ''))

let loading: Promise<HLJSApi> | undefined

/** A highlighter, loaded with the first page that has code. The colours are those of classes in `guides.css`. */
export async function highlighter(): Promise<(code: string, language: string) => string> {
  loading ??= load()
  const tool = await loading
  return (code, language) => {
    const grammar = LANGUAGES[language]?.grammar
    return grammar ? tool.highlight(code, { language: grammar }).value : escapeHtml(code)
  }
}

async function load(): Promise<HLJSApi> {
  const { default: core } = await import('highlight.js/lib/core')
  const grammars = {
    bash: await import('highlight.js/lib/languages/bash'),
    typescript: await import('highlight.js/lib/languages/typescript'),
    python: await import('highlight.js/lib/languages/python'),
    php: await import('highlight.js/lib/languages/php'),
    go: await import('highlight.js/lib/languages/go'),
    ruby: await import('highlight.js/lib/languages/ruby'),
    json: await import('highlight.js/lib/languages/json'),
    xml: await import('highlight.js/lib/languages/xml'),
    http: await import('highlight.js/lib/languages/http'),
  }
  for (const [name, grammar] of Object.entries(grammars)) core.registerLanguage(name, grammar.default)
  return core
}
