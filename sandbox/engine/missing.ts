/** This machine lacks what the engine needs: a JDK, Maven, or a way to Maven's repository. Nothing is broken. */
export class Missing extends Error {}
