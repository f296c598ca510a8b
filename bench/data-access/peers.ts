import { errorText } from '../../shared/runtime/errors.ts';
import { openClickHouse } from './clickhouse.ts';
import { PEER_NAMES, type Peer, type PeerName } from './peer.ts';
import { openPostgres } from './postgres-rows.ts';
import type { Figures, Question } from './question.ts';
import { sameFigures } from './same-figures.ts';
import { median } from './timing.ts';

const ROUNDS = 5;
const OPENERS = { postgres: openPostgres, clickhouse: openClickHouse };

/** A peer, or why it cannot be measured. */
type Opened = Peer | { readonly failed: string };
export type Peers = Readonly<Record<PeerName, Opened>>;

/** What a peer took for a question, in milliseconds, or why that is unknown. */
type PeerTime = { readonly ms: number } | { readonly failed: string };
export type PeerTimes = Readonly<Record<PeerName, PeerTime>>;

const forEachPeer = async <T>(use: (name: PeerName) => Promise<T>): Promise<Record<PeerName, T>> => ({
  postgres: await use('postgres'),
  clickhouse: await use('clickhouse'),
});

const failed = (error: unknown) => ({ failed: errorText(error) });

/** Opens the peers over the apps of a directory, one after the other. */
export const openPeers = (directory: string, note: (text: string) => void): Promise<Peers> =>
  forEachPeer((name) => OPENERS[name](directory, note).catch(failed));

/** Asks each peer. One that fails, or gives other figures, does not end the benchmark. */
export const timePeers = (peers: Peers, question: Question, figures: Figures): Promise<PeerTimes> =>
  forEachPeer(async (name) => {
    const peer = peers[name];
    return 'failed' in peer ? peer : medianOf(peer, question, { name, figures }).catch(failed);
  });

async function medianOf(
  peer: Peer,
  { name, app, peers }: Question,
  expected: { readonly name: PeerName; readonly figures: Figures },
): Promise<{ ms: number }> {
  const statements = peers[expected.name];
  await peer.time(app, statements, 1);
  const measured = await peer.time(app, statements, ROUNDS);
  sameFigures(`${name} in ${expected.name}`, expected.figures, measured.figures);
  return { ms: median(measured.ms) };
}

export async function stopPeers(peers: Peers): Promise<void> {
  for (const name of PEER_NAMES) {
    const peer = peers[name];
    if (!('failed' in peer)) await peer.stop();
  }
}
