// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package slurm

import "strings"

// waiting translates why a job waits. What a user can do about it stands behind the colon.
var waiting = map[string]string{
	"":                            "it was only just queued",
	"Priority":                    "jobs with a higher priority are before it",
	"Resources":                   "it is next, as soon as enough nodes or GPUs are free",
	"Dependency":                  "another job that it depends on has not ended",
	"DependencyNeverSatisfied":    "the job that it depends on ended the wrong way: it will never start, cancel it",
	"BeginTime":                   "its begin time has not come, or it was put back into the queue a moment ago",
	"JobHeldUser":                 "it is held by its user: scontrol release JOB lets it go",
	"JobHeldAdmin":                "it is held by an administrator: ask them",
	"JobHoldMaxRequeue":           "it was requeued too often and is held: scontrol release JOB lets it go",
	"Licenses":                    "a license that it asks for is taken",
	"ReqNodeNotAvail":             "a node that it needs is down, drained or reserved, for maintenance perhaps: a shorter walltime may end before a reservation begins",
	"Reserved for maintenance":    "the nodes are reserved for maintenance: a shorter walltime may end before it begins",
	"Reservation":                 "its reservation has not begun",
	"ReservationDeleted":          "its reservation was deleted: cancel it and submit without",
	"PartitionDown":               "the partition is down",
	"PartitionInactive":           "the partition takes jobs but starts none at present",
	"PartitionConfig":             "it asks for more than its partition allows: it will not start, cancel it and ask for less",
	"PartitionNodeLimit":          "it asks for more nodes than its partition allows: it will not start, cancel it and ask for less",
	"PartitionTimeLimit":          "its walltime is longer than its partition allows: it will not start, cancel it and set compute.<name>.walltime lower",
	"NodeDown":                    "a node that it needs is down",
	"BadConstraints":              "no node can ever give what it asks for: cancel it and change compute.<name>.extra_args or the node pool",
	"InvalidAccount":              "its account is not valid: cancel it and change compute.<name>.account",
	"InvalidQOS":                  "its QOS is not valid: cancel it and change the qos in extra_args",
	"TimeLimit":                   "its walltime is over a limit",
	"JobArrayTaskLimit":           "as many jobs of its array run as may run",
	"Prolog":                      "the node is being prepared for it",
	"Cleaning":                    "its last attempt is still being cleaned up",
	"FrontEndDown":                "the front end node is down",
	"SystemFailure":               "Slurm had a failure: an administrator has to look",
	"JobLaunchFailure":            "it could not be started, the node or its directory may be at fault: scontrol release JOB tries once more",
	"launch failed requeued held": "it could not be started on its node and is held: scontrol release JOB tries once more",
	"job requeued in held state":  "it was put back into the queue and is held: scontrol release JOB lets it go",
	"DeadLine":                    "its deadline is over",
	"AccountNotAllowed":           "its account may not use this partition: cancel it and change compute.<name>.account or the partition",
	"QOSNotAllowed":               "its QOS may not be used in this partition: cancel it and change one of them",
	"BurstBufferResources":        "a burst buffer that it needs has no room",
	"BurstBufferStageIn":          "its burst buffer is being filled",
	"BurstBufferOperation":        "its burst buffer could not be made: see scontrol show job JOB",
	"QOSUsageThreshold":           "its QOS has used up its share",
	"QOSJobLimit":                 "as many jobs run with its QOS as may run",
	"QOSResourceLimit":            "its QOS uses as much as it may",
	"QOSTimeLimit":                "the jobs of its QOS have used as much time as they may",
	"AssociationJobLimit":         "as many jobs of your account run as may run",
	"AssociationResourceLimit":    "your account uses as much as it may",
	"AssociationTimeLimit":        "the jobs of your account have used as much time as they may",
	"AccountingPolicy":            "a limit of your account or its QOS holds it back",
	"MaxMemPerLimit":              "it asks for more memory than one CPU or node may: cancel it and lower mem in extra_args",
	"SchedDefer":                  "it asked to start at once and could not, now it waits like any other",
	"FedJobLock":                  "the clusters of the federation agree on which of them starts it",
	"PowerNotAvail":               "the cluster has no power left for it",
	"PowerReserved":               "the cluster's power is reserved for others",
	"MaxPoweredUp":                "as many nodes are powered up as may be",
	"MpiPortsBusy":                "the ports that its MPI needs are taken",
	"OutOfMemory":                 "its last attempt ran out of memory: cancel it and ask for more with mem in extra_args",
	"NonZeroExitCode":             "its last attempt ended with a code that is not 0",
	"RaisedSignal":                "its last attempt was ended by a signal",
	"InactiveLimit":               "it was inactive for too long",
	"BlockMaxError":               "its nodes failed too often",
	"BlockFreeAction":             "its nodes are being freed",
}

// families are reasons with one beginning: most are the account's or the QOS's own limits.
var families = []struct{ prefix, words string }{
	{"AssocGrp", "your account is at a limit that all its users share"},
	{"AssocMax", "you are at a limit of your account"},
	{"Association", "your account is at a limit"},
	{"QOSGrp", "its QOS is at a limit that all its jobs share"},
	{"QOSMax", "you are at a limit of its QOS"},
	{"QOSMin", "it asks for less than its QOS wants: cancel it and ask for more"},
	{"QOS", "its QOS is at a limit"},
	{"Max", "you are at a limit of your account"},
	{"Nodes required for job are", "nodes that it needs are down, drained, or reserved for jobs that come first"},
	{"Nodes_required_for_job_are", "nodes that it needs are down, drained, or reserved for jobs that come first"},
}

// Waits says in plain words why a job waits; Slurm's own word stands behind, where there is
// one, for those who want to look it up.
func (j Job) Waits() string {
	key, _, _ := strings.Cut(j.Reason, ",") // ReqNodeNotAvail, UnavailableNodes:n1
	words, known := waiting[key]
	if !known { // whole sentences have underscores in later versions
		words, known = waiting[strings.ReplaceAll(key, "_", " ")]
	}
	if !known {
		words = ofFamily(key)
	}
	words = strings.ReplaceAll(words, "JOB", j.ID)
	if j.Reason == "" {
		return words
	}
	return words + " (" + j.Reason + ")"
}

func ofFamily(reason string) string {
	for _, f := range families {
		if strings.HasPrefix(reason, f.prefix) {
			return f.words
		}
	}
	if detail, _, isLimit := strings.Cut(reason, "Limit"); isLimit && detail != "" {
		return "it is at a limit"
	}
	return "Slurm gives a reason of its own"
}
