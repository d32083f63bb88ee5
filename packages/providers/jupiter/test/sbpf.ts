/** A small assembler for Solana's virtual machine (SBPF version 0), so that a test can run a program of its own in it. */

export type Register = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10

/** Collects instructions. Jumps name labels, and calls name system calls; `elf()` links both. */
export class Assembler {
  readonly #code: { opcode: number; dst: number; src: number; offset: number; imm: number; label?: string }[] = []
  readonly #labels = new Map<string, number>()
  readonly #calls: { readonly at: number; readonly name: string }[] = []

  #emit(opcode: number, dst: number, src: number, offset: number, imm: number, label?: string): this {
    this.#code.push({ opcode, dst, src, offset, imm, ...(label ? { label } : {}) })
    return this
  }
  label(name: string): this {
    this.#labels.set(name, this.#code.length)
    return this
  }
  set = (dst: Register, imm: number) => this.#emit(0xb7, dst, 0, 0, imm)
  copy = (dst: Register, src: Register) => this.#emit(0xbf, dst, src, 0, 0)
  addImm = (dst: Register, imm: number) => this.#emit(0x07, dst, 0, 0, imm)
  add = (dst: Register, src: Register) => this.#emit(0x0f, dst, src, 0, 0)
  sub = (dst: Register, src: Register) => this.#emit(0x1f, dst, src, 0, 0)
  mul = (dst: Register, src: Register) => this.#emit(0x2f, dst, src, 0, 0)
  divImm = (dst: Register, imm: number) => this.#emit(0x37, dst, 0, 0, imm)
  andImm = (dst: Register, imm: number) => this.#emit(0x57, dst, 0, 0, imm)
  shiftLeft = (dst: Register, imm: number) => this.#emit(0x67, dst, 0, 0, imm)
  load8 = (dst: Register, src: Register, offset: number) => this.#emit(0x71, dst, src, offset, 0)
  load16 = (dst: Register, src: Register, offset: number) => this.#emit(0x69, dst, src, offset, 0)
  load64 = (dst: Register, src: Register, offset: number) => this.#emit(0x79, dst, src, offset, 0)
  store8 = (dst: Register, offset: number, src: Register) => this.#emit(0x73, dst, src, offset, 0)
  store64 = (dst: Register, offset: number, src: Register) => this.#emit(0x7b, dst, src, offset, 0)
  jump = (label: string) => this.#emit(0x05, 0, 0, 0, 0, label)
  jumpIfEqual = (left: Register, right: Register, label: string) => this.#emit(0x1d, left, right, 0, 0, label)
  jumpUnlessImm = (left: Register, imm: number, label: string) => this.#emit(0x55, left, 0, 0, imm, label)
  jumpIfAtLeast = (left: Register, right: Register, label: string) => this.#emit(0x3d, left, right, 0, 0, label)
  exit = () => this.#emit(0x95, 0, 0, 0, 0)
  call(name: string): this {
    this.#calls.push({ at: this.#code.length, name })
    return this.#emit(0x85, 0, 1, 0, -1)
  }

  #text(): Buffer {
    const text = Buffer.alloc(this.#code.length * 8)
    for (const [index, { opcode, dst, src, offset, imm, label }] of this.#code.entries()) {
      const target = label === undefined ? undefined : this.#labels.get(label)
      if (label !== undefined && target === undefined) throw new Error(`No label ${label}`)
      text.writeUInt8(opcode, index * 8)
      text.writeUInt8((src << 4) | dst, index * 8 + 1)
      text.writeInt16LE(target === undefined ? offset : target - index - 1, index * 8 + 2)
      text.writeInt32LE(imm, index * 8 + 4)
    }
    return text
  }

  /** The program as a shared object: code, and the names of the system calls that the loader resolves. */
  elf(): Uint8Array {
    const names = [...new Set(this.#calls.map(({ name }) => name))]
    const strings = (all: readonly string[]) => {
      const offsets = new Map<string, number>()
      let bytes = '\0'
      for (const each of all) {
        offsets.set(each, bytes.length)
        bytes += `${each}\0`
      }
      return { bytes: pad(Buffer.from(bytes, 'latin1')), offsets }
    }
    const text = this.#text()
    const dynstr = strings(names)
    const dynsym = Buffer.alloc(24 * (names.length + 1))
    for (const [index, name] of names.entries()) {
      dynsym.writeUInt32LE(dynstr.offsets.get(name) ?? 0, 24 * (index + 1))
      dynsym.writeUInt8(0x10, 24 * (index + 1) + 4)
    }
    const textAt = 64 + 3 * 56
    const dynamicAt = textAt + text.length
    const dynsymAt = dynamicAt + 16 * 8
    const dynstrAt = dynsymAt + dynsym.length
    const relAt = dynstrAt + dynstr.bytes.length
    const rel = Buffer.alloc(16 * this.#calls.length)
    for (const [index, { at, name }] of this.#calls.entries()) {
      rel.writeBigUInt64LE(BigInt(textAt + at * 8), index * 16)
      rel.writeBigUInt64LE((BigInt(names.indexOf(name) + 1) << 32n) | 10n, index * 16 + 8)
    }
    const dynamic = words(
      [17, relAt],
      [18, rel.length],
      [19, 16],
      [6, dynsymAt],
      [11, 24],
      [5, dynstrAt],
      [10, dynstr.bytes.length],
      [0, 0],
    )
    const sections = ['.text', '.dynamic', '.dynsym', '.dynstr', '.rel.dyn', '.shstrtab']
    const shstr = strings(sections)
    const shstrAt = relAt + rel.length
    const headersAt = shstrAt + shstr.bytes.length
    const header = (name: string, type: number, flags: number, at: number, size: number, link = 0, entry = 0) => {
      const out = Buffer.alloc(64)
      out.writeUInt32LE(shstr.offsets.get(name) ?? 0, 0)
      out.writeUInt32LE(type, 4)
      for (const [index, value] of [flags, type === 3 && name === '.shstrtab' ? 0 : at, at, size].entries())
        out.writeBigUInt64LE(BigInt(value), 8 + index * 8)
      out.writeUInt32LE(link, 40)
      out.writeBigUInt64LE(BigInt(name === '.shstrtab' ? 1 : 8), 48)
      out.writeBigUInt64LE(BigInt(entry), 56)
      return out
    }
    const segment = (type: number, flags: number, at: number, size: number) => {
      const out = Buffer.alloc(56)
      out.writeUInt32LE(type, 0)
      out.writeUInt32LE(flags, 4)
      for (const [index, value] of [at, at, at, size, size, 8].entries())
        out.writeBigUInt64LE(BigInt(value), 8 + index * 8)
      return out
    }
    const elf = Buffer.alloc(64)
    Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]).copy(elf)
    elf.writeUInt16LE(3, 16)
    elf.writeUInt16LE(247, 18)
    elf.writeUInt32LE(1, 20)
    elf.writeBigUInt64LE(BigInt(textAt), 24)
    elf.writeBigUInt64LE(64n, 32)
    elf.writeBigUInt64LE(BigInt(headersAt), 40)
    for (const [index, value] of [64, 56, 3, 64, 7, 6].entries()) elf.writeUInt16LE(value, 52 + index * 2)
    return Buffer.concat([
      elf,
      segment(1, 5, textAt, text.length),
      segment(1, 4, dynsymAt, shstrAt - dynsymAt),
      segment(2, 6, dynamicAt, dynamic.length),
      text,
      dynamic,
      dynsym,
      dynstr.bytes,
      rel,
      shstr.bytes,
      Buffer.alloc(64),
      header('.text', 1, 6, textAt, text.length),
      header('.dynamic', 6, 3, dynamicAt, dynamic.length, 4, 16),
      header('.dynsym', 11, 2, dynsymAt, dynsym.length, 4, 24),
      header('.dynstr', 3, 2, dynstrAt, dynstr.bytes.length),
      header('.rel.dyn', 9, 2, relAt, rel.length, 3, 16),
      header('.shstrtab', 3, 0, shstrAt, shstr.bytes.length),
    ])
  }
}

const pad = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8)])

function words(...pairs: readonly (readonly [number, number])[]): Buffer {
  const out = Buffer.alloc(pairs.length * 16)
  for (const [index, value] of pairs.flat().entries()) out.writeBigUInt64LE(BigInt(value), index * 8)
  return out
}
