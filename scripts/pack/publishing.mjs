/** Scripts of each manifest: packages are published as tarballs, by `npm run release -- --publish`, and never from a folder. */
export const PUBLISHING = {
  prepublishOnly:
    'node -e "process.env.LINKSPACE_RELEASE||(console.error(\'Publish by: npm run release -- --publish\'),process.exit(1))"',
};
