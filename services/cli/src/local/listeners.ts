import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'

const folderOf = (config: string): string => join(config, 'listeners')

/** Makes a running `listen` known on this machine, so that `events resend` reaches it. Returns how to end that. */
export async function announce(config: string, receive: (eventId: string) => void): Promise<() => void> {
  const folder = folderOf(config)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${process.pid}.sock`)
  rmSync(path, { force: true })
  const server = createServer((socket) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8')
    })
    socket.on('end', () => receive(text))
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  return () => {
    server.close()
    rmSync(path, { force: true })
  }
}

/** Tells every running `listen` of this machine to forward an event again. Returns how many there are. */
export async function tellListeners(config: string, eventId: string): Promise<number> {
  const folder = folderOf(config)
  const told = await Promise.all(socketsIn(folder).map((name) => tell(join(folder, name), eventId)))
  return told.filter(Boolean).length
}

const socketsIn = (folder: string): string[] => {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.sock'))
  } catch {
    return []
  }
}

/** False where nobody listens any more: the socket of a program that was killed is removed. */
const tell = (path: string, eventId: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path, () => socket.end(eventId, () => resolve(true)))
    socket.on('error', () => {
      rmSync(path, { force: true })
      resolve(false)
    })
  })
