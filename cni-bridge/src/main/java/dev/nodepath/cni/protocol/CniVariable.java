package dev.nodepath.cni.protocol;

/** The environment variables of the protocol, in the order in which missing ones are reported. */
public enum CniVariable {
    CNI_COMMAND,
    CNI_CONTAINERID,
    CNI_NETNS,
    CNI_IFNAME,
    CNI_ARGS,
    CNI_PATH
}
