import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tokens } from '@payments/pay-page'
import { isBuilt, places, sourcesDigest } from './sources.ts'

/** The module with the tokens that all pages share. */
const TOKENS = 'virtual:tokens.css'

/** Builds the dashboard, if its sources have changed since the last time. */
export async function build(): Promise<void> {
  if (isBuilt()) return
  const digest = sourcesDigest()
  const vite = await import('vite')
  await vite.build({
    root: places.root,
    base: '/dashboard/',
    configFile: false,
    logLevel: 'warn',
    plugins: [
      { name: 'tokens', resolveId: (id) => (id === TOKENS ? id : null), load: (id) => (id === TOKENS ? tokens : null) },
    ],
    // Tests build too, and their NODE_ENV would choose React's development build.
    define: { 'process.env.NODE_ENV': '"production"' },
    oxc: { jsx: { runtime: 'automatic', development: false } },
    build: {
      outDir: places.dist,
      emptyOutDir: true,
      target: 'es2022',
      manifest: 'manifest.json',
      modulePreload: false,
      rollupOptions: {
        input: join(places.root, 'src/browser/main.tsx'),
        // `"use client"` is for servers that render React, which this is not.
        onwarn: (warning, warn) => (warning.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : warn(warning)),
      },
    },
  })
  writeTypeface()
  writeFileSync(places.stamp, digest)
}

/**
 * Writes the typeface beside what Vite builds: its styles, and its files, of which a browser loads the scripts that a page has. Vite finds no
 * file that styles name below a folder with a `#` in its name.
 */
function writeTypeface(): void {
  const styles = join(places.root, 'node_modules/@fontsource-variable/inter/wght.css')
  const write = (name: string, extension: string, content: string | Buffer): string => {
    const file = `${name}-${createHash('sha256').update(content).digest('hex').slice(0, 8)}.${extension}`
    writeFileSync(join(places.dist, 'assets', file), content)
    return file
  }
  const text = readFileSync(styles, 'utf8').replace(
    /url\(\.\/files\/([\w-]+)\.woff2\)/g,
    (_, name: string) => `url(${write(name, 'woff2', readFileSync(join(dirname(styles), 'files', `${name}.woff2`)))})`,
  )
  write('typeface', 'css', text)
}
