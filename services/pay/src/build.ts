import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isBuilt, places, sourcesDigest } from './sources.ts'

/** Builds the scripts of the pay page, if their sources have changed since the last time. */
export async function build(): Promise<void> {
  if (isBuilt()) return
  const digest = sourcesDigest()
  const vite = await import('vite')
  await vite.build({
    root: places.root,
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: places.dist,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: false,
      rollupOptions: {
        input: {
          page: join(places.root, 'src/browser/main.ts'),
          embed: join(places.root, 'src/browser/embed.ts'),
        },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  })
  writeFileSync(places.stamp, digest)
}
