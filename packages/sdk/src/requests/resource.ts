import type { RequestOptions, Result } from '../options.ts'
import { Download, type List, type ListReply, listOf } from './replies.ts'
import type { Call, Transport } from './transport.ts'

/** What the generated resources are made of. */
export abstract class Resource {
  protected readonly transport: Transport

  constructor(transport: Transport) {
    this.transport = transport
  }

  /** Sends a call and returns its data. */
  protected async execute<T>(
    method: string,
    path: string,
    params?: object,
    options?: RequestOptions,
    isPublic?: boolean,
  ): Promise<Result<T>> {
    const { value, last } = await this.transport.send<T>(callOf(method, path, params, isPublic), options)
    return Object.defineProperty(value, 'lastResponse', { value: last }) as Result<T>
  }

  protected sendList<K extends string, T>(
    method: string,
    path: string,
    key: K,
    params?: object,
    options?: RequestOptions,
  ): List<K, T> {
    const read = (more?: object) => this.execute<ListReply<K, T>>(method, path, { ...params, ...more }, options)
    return listOf<K, T>(key, read(), (before) => read({ before }))
  }

  /** A reply that is a file. It is repeated until it begins; what has begun is not. */
  protected async sendDownload(
    method: string,
    path: string,
    params?: object,
    options?: RequestOptions,
  ): Promise<Download> {
    const { value, last } = await this.transport.send(
      { ...callOf(method, path, params), headers: { accept: '*/*' } },
      options,
      async (response) => response.body as ReadableStream<Uint8Array>,
    )
    return new Download(value, last, options?.signal)
  }
}

const callOf = (method: string, path: string, params?: object, isPublic?: boolean): Call => ({
  method,
  path,
  isPublic,
  ...(method === 'GET' ? { query: params } : { body: params }),
})

/** A path with ids in it. @throws TypeError for what is no id: `..` or an empty text would be another path */
export const at = (parts: TemplateStringsArray, ...ids: readonly string[]): string =>
  parts.reduce((path, part, index) => {
    const id = ids[index - 1]
    if (typeof id !== 'string' || !/^[\w-]+$/.test(id)) throw new TypeError(`"${id}" is not an id`)
    return path + id + part
  })
