package dev.nodepath.policy.object;

/** The other end of a connection that a rule allows. */
public sealed interface Peer permits PodPeer, BlockPeer {}
