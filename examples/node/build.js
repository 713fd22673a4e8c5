// Makes the package `murmur-fence` out of the component: what jco generates, with
// types, and the module that hides its sharp edges.
//
// node build.js COMPONENT DIRECTORY

import { transpile, writeFiles } from '@bytecodealliance/jco-transpile';
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [component, directory] = process.argv.slice(2);
if (!directory) {
  console.error('usage: node build.js COMPONENT DIRECTORY');
  process.exit(2);
}
await rm(directory, { recursive: true, force: true });
await mkdir(directory, { recursive: true });
const outDir = join(directory, 'generated');
// Errors of the contract come wrapped, so that they can be told from any other throw.
const options = { outDir, name: 'component', noComponentErrorWrapping: false };
const { files, imports } = await transpile(component, options);
if (imports.length > 0) {
  console.error(`the component imports ${imports}; the fence imports nothing`);
  process.exit(1);
}
await writeFiles(files);
const module = fileURLToPath(new URL('murmur-fence/', import.meta.url));
for (const file of await readdir(module)) {
  await copyFile(join(module, file), join(directory, file));
}
