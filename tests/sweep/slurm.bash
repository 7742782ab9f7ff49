# A Slurm of one node for tests, started and stopped by them. No accounting, no munge, ports of its own.
# Source it after tests/tap.sh: slurm_start, slurm_stop, and slurmctld_start for the controller alone.
slurm_mpi=pmi2 # how srun and its processes speak to each other
[ "${MPI_KIND-}" = openmpi ] && slurm_mpi=pmix
slurm_missing() { # prints why there can be no Slurm here; nothing: there can
    if [ "$(id -u)" -ne 0 ]; then echo "only root can start Slurm"; fi
    for program in slurmctld slurmd sbatch srun squeue scancel scontrol sinfo; do
        PATH=$PATH:/usr/sbin:/sbin command -v $program >/dev/null || echo "$program is not installed"
    done
}

slurm_port_is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Prints the first of 200 ports, the two lowest of which are free. Another test that runs at the same time sets slurm_bases.
slurm_ports() {
    for base in ${slurm_bases-36817 38817}; do
        if slurm_port_is_free $base && slurm_port_is_free $((base + 1)); then
            echo $base
            return
        fi
    done
}

slurmctld_start() { slurmctld -f "$SLURM_CONF" >/dev/null 2>&1; }

slurm_start() { # FOLDER: sets SLURM_CONF. False if it does not come up.
    slurm_folder=$1
    slurm_port=$(slurm_ports)
    PATH=$PATH:/usr/sbin:/sbin
    [ -n "$slurm_port" ] || return 1
    mkdir -p "$1/state" "$1/spool" "$1/run" "$1/log"
    export SLURM_CONF=$1/slurm.conf
    cat >"$SLURM_CONF" <<END
ClusterName=silas
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPort=$slurm_port
SlurmdPort=$((slurm_port + 1))
SrunPortRange=$((slurm_port + 83))-$((slurm_port + 182))
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool
SlurmctldPidFile=$1/run/slurmctld.pid
SlurmdPidFile=$1/run/slurmd.pid
SlurmctldLogFile=$1/log/slurmctld.log
SlurmdLogFile=$1/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=1
MpiDefault=$slurm_mpi
ReturnToService=2
KillWait=2
MinJobAge=600
MaxArraySize=10
EnforcePartLimits=ALL
NodeName=localhost NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=localhost Default=YES MaxTime=01:00:00 State=UP
END
    slurmctld_start
    slurmd -f "$SLURM_CONF" -N localhost >/dev/null 2>&1
    for i in $(seq 200); do
        [ "$(timeout 5 sinfo -h -o %T 2>/dev/null)" = idle ] && return 0
        sleep 0.1
    done
    return 1
}

# Ends a daemon; one that is dead already, or a zombie, counts as ended.
slurm_end() { # PID
    kill "$1" 2>/dev/null
    for i in $(seq 50); do
        case $(ps -o stat= -p "$1" 2>/dev/null) in "" | Z*) return ;; esac
        sleep 0.1
    done
    kill -KILL "$1" 2>/dev/null
}

slurm_stop() {
    timeout 10 scancel --full -u root >/dev/null 2>&1
    for i in $(seq 50); do
        [ -z "$(timeout 5 squeue -h 2>/dev/null)" ] && break
        sleep 0.1
    done
    for daemon in slurmctld slurmd; do
        [ -s "$slurm_folder/run/$daemon.pid" ] && slurm_end "$(cat "$slurm_folder/run/$daemon.pid")"
    done
}
