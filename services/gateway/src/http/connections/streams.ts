import { addressBlock } from '@payments/platform'
import { errors } from '../../operations/errors.ts'

/** The part of all connections that event streams may be: the rest stays for requests, however long streams are open. */
const SHARE = 0.6

/** How many event streams a process has open, and how many it may have. */
export interface Streams {
  readonly most: number
  open(): number
  /**
   * Takes a place for a stream of this client address. Returns what gives it back, which may be called again.
   * @throws ServiceError 503 when all are taken, 429 when those of the address are: of IPv6 its /56, because many subscribers have one
   */
  take(address: string): () => void
}

export function eventStreams({ total, perAddress }: { readonly total: number; readonly perAddress: number }): Streams {
  const most = Math.floor(total * SHARE)
  const ofBlock = new Map<string, number>()
  let open = 0
  return {
    most,
    open: () => open,
    take(address) {
      const block = addressBlock(address, 56)
      const own = ofBlock.get(block) ?? 0
      if (own >= perAddress) throw errors.streams_of_address({ retryAfter: 30 })
      if (open >= most) throw errors.streams_full({ retryAfter: 30 })
      ofBlock.set(block, own + 1)
      open++
      let taken = true
      return () => {
        if (!taken) return
        taken = false
        open--
        const left = (ofBlock.get(block) ?? 1) - 1
        if (left > 0) ofBlock.set(block, left)
        else ofBlock.delete(block)
      }
    },
  }
}
