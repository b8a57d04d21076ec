package dev.nodepath.policy.object;

/** The other end of the connections of a rule. */
public sealed interface Peer permits PodPeer, BlockPeer, NodePeer, DomainPeer {}
