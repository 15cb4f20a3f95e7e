import { expect, it } from 'vitest';
import { openStore } from './open-store.js';
import { prepareFormat } from './store-format.js';
import { SIMULATED_DIRECTORY as directory, SimulatedDisk } from './testing/simulated-disk.js';

const path = `${directory}/format`;

it('writes the format into a new directory', async () => {
  const disk = new SimulatedDisk();
  await (await openStore({ directory, disk })).close();
  expect(String(await disk.read(path))).toBe('1\n');
});

it('rejects a newer format and changes nothing', async () => {
  const disk = new SimulatedDisk();
  disk.overwrite(path, Buffer.from('2\n'));
  await expect(openStore({ directory, disk })).rejects.toMatchObject({
    code: 'STORE_FORMAT',
    message: 'this store has format 2; this version reads up to 1',
    where: path,
  });
  expect(disk.paths()).toEqual([path]);
});

it.each(['', '0\n', 'x\n', '1', '-1\n'])('refuses %j, which is no format', async (text) => {
  const disk = new SimulatedDisk();
  disk.overwrite(path, Buffer.from(text));
  await expect(openStore({ directory, disk })).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
});

it('rejects a store without its format file', async () => {
  const disk = new SimulatedDisk();
  await (await openStore({ directory, disk })).close();
  disk.overwrite(path, undefined);
  await expect(openStore({ directory, disk })).rejects.toMatchObject({ code: 'STORE_CORRUPT', where: path });
});

it('runs the migrations in between, and records each one', async () => {
  const disk = new SimulatedDisk();
  disk.overwrite(path, Buffer.from('2\n'));
  const ran: string[] = [];
  const migration = (name: string) => async (): Promise<void> => {
    ran.push(`${name} from ${String(await disk.read(path)).trim()}`);
  };
  await prepareFormat(disk, directory, [migration('a'), migration('b'), migration('c')]);
  expect(ran).toEqual(['b from 2', 'c from 3']);
  expect(String(await disk.read(path))).toBe('4\n');
});
