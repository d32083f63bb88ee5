/** Where a story runs. */
export interface Place {
  readonly folder: string
  readonly modules: string
  readonly url: string
  readonly receiverPort: number
  readonly key: string
}
