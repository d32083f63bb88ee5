declare module '@20minutes/s3rver' {
  /** A server of S3's protocol that keeps objects in a folder, and checks signatures. */
  export default class S3rver {
    constructor(options: {
      address: string
      port: number
      silent: boolean
      directory: string
      key?: string
      cert?: string
      allowMismatchedSignatures?: boolean
      configureBuckets: { name: string }[]
    })
    run(): Promise<{ port: number }>
    close(): Promise<void>
  }
}
