/** An endpoint with due deliveries. */
export interface Due {
  readonly endpointId: string
  readonly organisationId: string
  /** Attempts that may be in flight to it. */
  readonly slots: number
}

/** Attempts of one organisation that are in flight in this process, and how many of them to impaired endpoints. */
export interface Busy {
  readonly all: number
  readonly impaired: number
}

/** Free slots of this process, and what each organisation occupies. */
export interface Capacity {
  readonly room: number
  readonly impairedRoom: number
  readonly busy: ReadonlyMap<string, Busy>
}

/**
 * Gives free slots to endpoints, in the given order. An organisation gets slots only while it occupies no more than stay free;
 * so one alone gets half of all slots, and the first delivery of another always finds a free one. `isImpaired` endpoints
 * share the slots for them by the same rule.
 */
export function share(
  due: readonly Due[],
  { room, impairedRoom, busy }: Capacity,
  isImpaired: (due: Due) => boolean,
): { endpointId: string; room: number }[] {
  const occupied = new Map([...busy].map(([organisation, of]) => [organisation, { ...of }]))
  let free = room
  let impairedFree = impairedRoom
  return due.flatMap((endpoint) => {
    const own = occupied.get(endpoint.organisationId) ?? { all: 0, impaired: 0 }
    occupied.set(endpoint.organisationId, own)
    const impaired = isImpaired(endpoint)
    const allowed = Math.min(fairPart(free, own.all), impaired ? fairPart(impairedFree, own.impaired) : free)
    const given = Math.min(endpoint.slots, allowed)
    if (given <= 0) return []
    free -= given
    own.all += given
    if (impaired) {
      impairedFree -= given
      own.impaired += given
    }
    return [{ endpointId: endpoint.endpointId, room: given }]
  })
}

/** How many of the free slots an organisation may get that occupies `own`. */
const fairPart = (free: number, own: number): number =>
  Math.min(free, Math.max(own === 0 ? 1 : 0, Math.floor((free - own) / 2)))
