/** Deliveries of a quick endpoint that one process holds beyond its slots, to send while it writes results and claims. */
export const AHEAD = 10

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
  readonly ahead?: Ahead
}

/** What a process may claim before slots of its endpoints are free. */
interface Ahead {
  /** How many deliveries in all. */
  readonly room: number
  /** Of which endpoints, and how many of each the process holds already. */
  readonly endpoints: ReadonlyMap<string, number>
  /** The claims of the process whose deliveries have no result yet. */
  readonly claims: readonly string[]
}

/** Deliveries of an endpoint that may be claimed, and how many of its deliveries may be held beyond its slots. */
interface Share {
  readonly endpointId: string
  readonly room: number
  readonly ahead: number
}

/**
 * Gives free slots to endpoints, in the given order. An organisation gets slots only while it occupies no more than stay free;
 * so one alone gets half of all slots, and the first delivery of another always finds a free one. `isImpaired` endpoints
 * share the slots for them by the same rule. Endpoints that are claimed ahead get up to {@link AHEAD} more.
 */
export function share(
  due: readonly Due[],
  { room, impairedRoom, busy, ahead }: Capacity,
  isImpaired: (due: Due) => boolean,
): Share[] {
  const occupied = new Map([...busy].map(([organisation, of]) => [organisation, { ...of }]))
  let free = room
  let impairedFree = impairedRoom
  let aheadFree = ahead?.room ?? 0
  return due.flatMap((endpoint) => {
    const own = occupied.get(endpoint.organisationId) ?? { all: 0, impaired: 0 }
    occupied.set(endpoint.organisationId, own)
    const impaired = isImpaired(endpoint)
    const allowed = Math.min(fairPart(free, own.all), impaired ? fairPart(impairedFree, own.impaired) : free)
    const held = impaired ? undefined : ahead?.endpoints.get(endpoint.endpointId)
    const beyond = held === undefined ? 0 : Math.max(0, Math.min(AHEAD, aheadFree))
    const given = Math.min(endpoint.slots + beyond - (held ?? 0), allowed)
    if (given <= 0) return []
    free -= given
    aheadFree -= Math.min(beyond, given)
    own.all += given
    if (impaired) {
      impairedFree -= given
      own.impaired += given
    }
    return [{ endpointId: endpoint.endpointId, room: given, ahead: beyond }]
  })
}

/** How many of the free slots an organisation may get that occupies `own`. */
const fairPart = (free: number, own: number): number =>
  Math.min(free, Math.max(own === 0 ? 1 : 0, Math.floor((free - own) / 2)))
