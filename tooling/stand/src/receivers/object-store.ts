/// <reference path="./s3rver.d.ts" />
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'

/** What an object store accepts: the server knows this pair alone. */
export const OBJECT_STORE_KEYS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }

export interface ObjectStore {
  readonly endpoint: string
  /** The names of what was put. */
  objects(): readonly string[]
  close(): Promise<void>
}

/**
 * A server of S3's protocol with one bucket, on loopback. It is not ours: it computes signatures from what it receives, independently of
 * the library that signs.
 */
export async function startObjectStore(
  bucket: string,
  { port = 0, tls }: { readonly port?: number; readonly tls?: { readonly key: string; readonly cert: string } } = {},
): Promise<ObjectStore> {
  const directory = mkdtempSync(join(tmpdir(), 'payments-s3-'))
  const server = new S3rver({
    ...{ address: '127.0.0.1', port, silent: true, directory, configureBuckets: [{ name: bucket }] },
    ...(tls ?? {}),
  })
  const { port: chosen } = await server.run()
  return {
    endpoint: `${tls ? 'https' : 'http'}://127.0.0.1:${chosen}`,
    objects: () =>
      readdirSync(join(directory, bucket), { recursive: true, encoding: 'utf8' }).flatMap(
        (file) => file.match(/^(.+)\._S3rver_object$/)?.[1] ?? [],
      ),
    async close() {
      await server.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
