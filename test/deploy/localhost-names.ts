import dns from 'node:dns';

/**
 * The emulator gives each API a name under "localhost". Browsers resolve such names to loopback, but many systems do not.
 * With this module they resolve in this process.
 */
const { lookup } = dns;
Object.assign(dns, {
  lookup: (name: string, ...rest: unknown[]) =>
    Reflect.apply(lookup, dns, [name.endsWith('.localhost') ? '127.0.0.1' : name, ...rest]),
});
