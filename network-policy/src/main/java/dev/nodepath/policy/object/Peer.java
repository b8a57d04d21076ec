package dev.nodepath.policy.object;

/** The other end of a connection that a rule is about. */
public sealed interface Peer permits PodPeer, BlockPeer, NodePeer, DomainPeer {}
